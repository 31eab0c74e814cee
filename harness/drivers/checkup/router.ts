/**
 * Checks a router and its target file: is it one of this contract, and are its keys, models and backend what their
 * role says?
 */

import type { RouterTarget } from '../../../schemas/router/target.ts';
import { isObject } from '../../exchange/body.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import { bodyOf, idsIn, leavesOf, showsData } from '../discovery/members.ts';
import { RouterApi } from '../router/api.ts';
import { checkEngine } from './engine.ts';
import {
  type Checkup,
  fits,
  mismatch,
  noAccess,
  type ReportResult,
  tell,
  type CheckResult,
  untried,
} from './lines.ts';
import { errorSources } from '../../../schemas/router/envelope.ts';
import { envelopeOf } from '../../checks/router/envelope.ts';
import type { Problem } from '../../target/problem.ts';
import type { Connection } from '../connection.ts';

/** Reports a line for each further key, each model, the scripted backend and each hook of the file. */
export async function checkRouter(
  { target, connection, accepted }: Checkup<RouterTarget>,
  report: ReportResult,
): Promise<void> {
  const api = new RouterApi(
    connection.httpClient,
    () => {},
    (name) => {
      const secret = connection.keys.get(name);
      if (secret === undefined) throw new Error(`the target file has no key "${name}"`);
      return secret;
    },
  );
  for (const name of accepted) report(`keys.${name}`, fits('is accepted'));
  for (const name of connection.keys.keys()) {
    if (accepted.includes(name) || ['client', 'second'].includes(name)) continue;
    await tell(report, `keys.${name}`, async () => keyResult(api, name));
  }
  const reader = ['client', 'second', 'unlimited'].find((name) => connection.keys.has(name));
  if (reader === undefined) {
    if (target.models !== undefined) report('models', untried('they need keys.client'));
  } else {
    await checkModels(target, api, reader, report);
  }
  await checkEngine({ target, api, reader, signal: connection.signal }, report);
  for (const hook of Object.keys(target.hooks ?? {})) {
    report(`hooks.${hook}`, untried('it changes the deployment'));
  }
}

const refused = new Set(['expired', 'disabled', 'removed']);

async function keyResult(api: RouterApi, as: string): Promise<CheckResult> {
  const path = as === 'admin' ? '/admin/health' : '/v1/models';
  const exchange = await api.get(path, { as });
  const status = exchange.response?.status ?? 0;
  if (refused.has(as)) {
    if (status === 401) return fits('is refused with 401');
    return mismatch(
      `GET ${path} answered ${status}, and an ${as} key should be refused with 401.`,
      `Use a key that is ${as}. If it is, the target accepts it all the same, and a run reports that.`,
    );
  }
  if (status === 200) return fits('is accepted');
  if (status === 429) return fits('is known; its quota is used up for the moment');
  return noAccess(
    `GET ${path} answered ${status}.`,
    `Check keys.${as} in the target file, and the environment variable that it names.`,
  );
}

/** Roles whose model a router need not list, even when it lists every model that it can serve. */
const maybeUnlisted = new Set(['deadBackend', 'noAgents', 'agentGone', 'hidden', 'shed']);

/** `reader` names a key that lists models. */
async function checkModels(
  target: RouterTarget,
  api: RouterApi,
  reader: string,
  report: ReportResult,
): Promise<void> {
  const list = await api.models({ as: reader });
  const listed = idsIn(list, 'id') ?? [];
  if (!showsData(list)) report('GET /v1/models', unlisted(list, reader));
  for (const [place, model] of modelsOf(target)) {
    await tell(report, place, async () => {
      if (listed.includes(model)) return fits(`${model} is listed`);
      const exchange = await api.model(model, { as: reader });
      if (exchange.response?.status === 200) {
        if (names(exchange, model)) return fits(`${model} is known`);
        const answered = 'GET /v1/models/{model} answered 200 with nothing that names it';
        return untried(`${model} is not listed, and ${answered}`);
      }
      const role = place.split('.')[1] ?? '';
      const unseen = `${model} is not to be seen by keys.${reader}`;
      if (place.startsWith('models.') && maybeUnlisted.has(role)) return untried(unseen);
      return mismatch(
        `${unseen}: it is not listed, and GET /v1/models/{model} answered ${exchange.response?.status ?? exchange.ending}.`,
        'Check the model id; it is compared exactly.',
      );
    });
  }
  const hidden = target.models?.hidden;
  if (hidden === undefined) return;
  await tell(report, 'models.hidden.from', async () => {
    const shown = idsIn(await api.models({ as: hidden.from }), 'id');
    return shown?.includes(hidden.id) === true
      ? mismatch(
          `keys.${hidden.from} sees ${hidden.id} in its list.`,
          'Name a model that this key may not see, or another key.',
        )
      : fits(`keys.${hidden.from} is not shown ${hidden.id}`);
  });
}

/** A router lists its models to every key, so a server without a list is broken or no router. */
function unlisted(list: Exchange, reader: string): CheckResult {
  const status = list.response?.status;
  const answered = `it answered ${status ?? list.ending} and no list of models to keys.${reader}`;
  return status === 200 || status === 404
    ? noAccess(
        `${answered}.`,
        'Check that baseUrl in the target file is that of a router; if it is, a run will report what is wrong with the list.',
      )
    : untried(answered);
}

/** Whether the id of the model occurs anywhere in the body, whose form is not documented. */
function names(exchange: Exchange, model: string): boolean {
  return leavesOf(bodyOf(exchange)).some(({ value }) => value === model);
}

/** Every model id of the file, with its place in the file. */
function modelsOf(target: RouterTarget): readonly (readonly [place: string, id: string])[] {
  const { allowlisted, perModel, serverless } = target.keys;
  const places: readonly (readonly [string, unknown])[] = [
    ...Object.entries(target.models ?? {}).map(
      ([role, model]) => [`models.${role}`, isObject(model) ? model['id'] : model] as const,
    ),
    ['keys.allowlisted.allows', allowlisted?.allows],
    ['keys.allowlisted.denies', allowlisted?.denies],
    ['keys.perModel.undeclared', perModel?.undeclared],
    ['keys.perModel.declared', perModel?.declared],
    ['keys.serverless.model', serverless?.model],
  ];
  return places.flatMap(([place, id]) => (typeof id === 'string' ? [[place, id] as const] : []));
}

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
