/** Tells a router of this contract from other servers: a proxy of another kind lists models, too. */

import { errorSources } from '../../../schemas/router/envelope.ts';
import { envelopeOf } from '../../checks/router/envelope.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import type { Problem } from '../../target/problem.ts';
import type { Connection } from '../connection.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** Codes of the two refusals. A server of another kind may use one of them, but not both. */
const CODES = ['unauthorized', 'model_not_found'];

/** Why this is no router of the contract; undefined as soon as it shows one sign of being one. Sends three requests. */
export async function foreignRouter(
  { httpClient }: Connection,
  baseUrl: string,
): Promise<Problem | undefined> {
  const ignore = (): void => {};
  const list = { method: 'GET', path: '/v1/models', repeat: false } as const;
  const json = {
    model: 'plumbline-no-such-model',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'Say hello.' }],
  };
  const path = '/v1/chat/completions';
  const answers = [
    await httpClient.send({ ...list, as: 'client' }, ignore),
    await httpClient.send({ ...list, as: null }, ignore),
    await httpClient.send({ method: 'POST', path, json, repeat: false, as: 'client' }, ignore),
  ];
  const statuses = answers.map(({ response }) => response?.status);
  const envelopes = answers.map(envelopeOf);
  const hasSource = envelopes.some((said) => errorSources.some((one) => one === said?.source));
  if (!hasSource && statuses.every((status) => status === 404)) {
    return {
      problem: `${baseUrl} answers 404 to the list of models and to chat completions, with a key and without: no router of this contract is there.`,
      hint: 'Check the host and the path of baseUrl in the target file. Nothing else was sent.',
    };
  }
  // A target that is down does not show what it is.
  if (statuses.every((status = 500) => status === 404 || status >= 500)) return undefined;
  const [, withoutKey, unknownModel] = statuses;
  // A slow engine may leave the third request without an answer; what is served without a key tells enough.
  if (withoutKey === undefined) return undefined;
  const hasCodes = CODES.every((code) => envelopes.some((said) => said?.code === code));
  if (hasSource || (hasCodes && answers.some(hasRequestId))) return undefined;
  const refusals =
    unknownModel === undefined
      ? `a request for an unknown model got no answer, and its ${withoutKey} to one without a key does not have`
      : `neither its ${withoutKey} to a request without a key nor its ${unknownModel} to one for an unknown model has`;
  return {
    problem: `${baseUrl} answers, and is no router of this contract: ${refusals} the error envelope with code, message and source${answers.some(hasRequestId) ? '' : ', and no answer carries an X-Request-ID that is a UUID'}.`,
    hint: 'Check baseUrl in the target file: it may be that of an engine, or of a proxy of another kind. Nothing else was sent.',
  };
}

function hasRequestId({ response }: Exchange): boolean {
  return UUID.test(headerValue(response?.headers ?? [], 'x-request-id') ?? '');
}
