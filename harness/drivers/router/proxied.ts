/** Engine responses on the transparent proxy routes, and whether they come through (router#transparent-proxy). */

import type { Behaviour } from '../../backend/behaviour.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { keptEnvelope, passedUntouched } from '../../checks/router/proxied.ts';
import { isBrokenOff } from '../../checks/whole.ts';
import type { Enveloped } from '../../generate/answers.ts';
import type { ProxyRoute } from '../../../schemas/router/endpoints.ts';
import { retry } from '../../runner/retry.ts';
import { judgedAnswer, type ProvokeOptions } from './provoke.ts';
import type { RouterContext } from './session.ts';

/** Whether an engine's success arrives with its status and these bytes. One that breaks off is requested again. */
export async function passes(
  t: RouterContext,
  answer: Behaviour,
  sent: string | Uint8Array,
  { status = 200, ...options }: ProvokeOptions & { readonly status?: number },
): Promise<Judgement> {
  const wanted = { status, body: Buffer.from(sent) };
  const ask = async () =>
    judgedAnswer(t, answer, options, (exchange) => passedUntouched(exchange, wanted));
  const isWhole = ({ violations }: Judgement) =>
    !violations.some(({ exchanges }) => exchanges.some(isBrokenOff));
  return retry(t, 'oneLost', ask, isWhole);
}

/** Options for a request whose engine answers with the envelope, so that no check takes it for the router's own. */
export function forwarding(t: RouterContext, route: ProxyRoute): ProvokeOptions {
  const onScript = (script: string): void => t.mayForwardEnvelope(script);
  // An engine's `model_not_found` says nothing of its model.
  return { route, repeat: false, inAnyCase: true, onScript };
}

/** Whether code and source of an engine's envelope are kept. */
export async function keeps(
  t: RouterContext,
  route: ProxyRoute,
  answer: Behaviour,
  sent: Pick<Enveloped, 'code' | 'source'>,
): Promise<Judgement> {
  // An error before a stream begins is like any other.
  const asked = { ...forwarding(t, route), stream: route === 'messages' };
  return judgedAnswer(t, answer, asked, (exchange) => keptEnvelope(exchange, sent));
}
