/** The models, keys and limits of a target file by their roles. */

import type { routerNeeds } from '../../../schemas/router/needs.ts';
import { NotExercised } from '../../runner/case.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { InferenceOptions } from './api.ts';
import { type RouterContext, required } from './session.ts';
import { listedModels } from '../../checks/router/universal.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Judgement } from '../../checks/judgement.ts';

type Models = RouterContext['models'];
type RoleIn<Need> = Need extends `models.${infer Role}` ? Role : never;
type Keys = RouterContext['target']['keys'];
type KeyIn<Need> = Need extends `keys.${infer Role}` ? Role : never;
export type KeyRole = keyof Keys & KeyIn<keyof typeof routerNeeds>;
export type ModelRole = keyof Models & RoleIn<keyof typeof routerNeeds>;

/** The model of a role. Throws `NotExercised` when the target file names none. */
export function requireFixture<Role extends ModelRole>(
  t: Pick<RouterContext, 'models'>,
  role: Role,
): NonNullable<Models[Role]> {
  const need: `models.${ModelRole}` = `models.${role}`;
  return required(t.models[role], need);
}

/** What the target file says of a key. Throws `NotExercised` when it has none of this role. */
export function requireKey<Role extends KeyRole>(
  t: Pick<RouterContext, 'target'>,
  role: Role,
): NonNullable<Keys[Role]> {
  const need: `keys.${KeyRole}` = `keys.${role}`;
  return required(t.target.keys[role], need);
}

/** The key with an allowlist, after checking that its denied model exists: only the allowlist can refuse it then. */
export async function requireDenied(t: Pick<RouterContext, 'api' | 'target'>) {
  const allowlisted = requireKey(t, 'allowlisted');
  await requireVisible(t, allowlisted.denies, 'allowlisted');
  return allowlisted;
}

/**
 * Models of other routes that the key with an allowlist may not use. If its list shows the allowed model and not the
 * denied one, the list follows the allowlist, and any other model that is missing there is denied as well.
 */
export async function alsoDenied(t: Pick<RouterContext, 'api' | 'target' | 'models'>) {
  const { allows, denies } = requireKey(t, 'allowlisted');
  const routes = [
    ['embeddings', t.models.embedding],
    ['rerank', t.models.reranker],
  ] as const;
  const shown = listedModels(await t.api.models({ as: 'allowlisted' })) ?? [denies];
  const follows = shown.includes(allows) && !shown.includes(denies);
  return routes.flatMap(([route, model]) =>
    model === undefined || shown.includes(model) || !follows ? [] : [[route, model] as const],
  );
}

/** Keys that may see models that a restricted key does not see. */
const plainKeys = ['client', 'second', 'unlimited'] as const;

/** Throws `NotExercised` when no key of the target file, other than `except`, sees the model in its list. */
export async function requireVisible(
  t: Pick<RouterContext, 'api' | 'target'>,
  model: string,
  except: string,
): Promise<string> {
  for (const as of plainKeys) {
    if (as === except || t.target.keys[as] === undefined) continue;
    if (listedModels(await t.api.models({ as }))?.includes(model) === true) return as;
  }
  throw new NotExercised(
    `no key of the target file but "${except}" sees the model ${model}, so that nothing shows that it exists`,
  );
}

/** Throws `NotExercised` when a step of this deployment tries less often than `least` times. */
export function requireTries(t: Pick<RouterContext, 'limits'>, least: number): void {
  const { maxTries = least } = t.limits;
  if (maxTries >= least) return;
  throw new NotExercised(
    `a step tries ${maxTries === 1 ? 'once' : `${maxTries} times`}, and this is about ${least} tries`,
    `limits: { maxTries: ${least} }`,
  );
}

/** Replicas that are assumed when the target file does not state their number. */
const ASSUMED_REPLICAS = 4;

/** The number of replicas of the target file, or the assumed number. */
export function replicasOf({ limits }: Pick<RouterContext, 'limits'>): number {
  return limits.replicas ?? ASSUMED_REPLICAS;
}

/** Responses in a row beyond the number of replicas, since each replica may count for itself. */
const ANSWERS = 5;

/** Several responses in a row for each model, since it is open which ones report a quota, and whether it is per model. */
export async function answersInARow(
  t: Pick<RouterContext, 'api' | 'limits'>,
  models: readonly string[],
  call: InferenceOptions,
): Promise<readonly (readonly Exchange[])[]> {
  const rows: Exchange[][] = [];
  for (const model of models) {
    const row: Exchange[] = [];
    while (row.length < replicasOf(t) + ANSWERS) row.push(await t.api.chat(model, call));
    rows.push(row);
  }
  return rows;
}

/** Judges, but reports a violation that has another explanation as inconclusive. */
function judgeUnlessExplained(
  t: Pick<RouterContext, 'judge' | 'inconclusive'>,
  id: RouterRequirementId,
  judgement: Judgement,
  explanation: string | undefined,
): void {
  const [wrong] = judgement.violations;
  if (wrong === undefined || explanation === undefined) t.judge(id, judgement);
  else t.inconclusive(id, `${wrong.message} ${explanation}`);
}

type Judging = Pick<RouterContext, 'limits' | 'judge' | 'inconclusive'>;

/** Judges a limit that each replica may hold for itself: with several replicas a violation is inconclusive. */
export function judgeInEach(t: Judging, id: RouterRequirementId, judgement: Judgement): void {
  const { replicas = 1 } = t.limits;
  const each = `Each of the ${replicas} replicas may count for itself.`;
  judgeUnlessExplained(t, id, judgement, replicas === 1 ? undefined : each);
}

/** Judges what additional replicas would explain: a violation is inconclusive unless their number is stated. */
export function judgeByReplicas(t: Judging, id: RouterRequirementId, judgement: Judgement): void {
  const more = `More than ${ASSUMED_REPLICAS} replicas would explain it; "limits: { replicas: ... }" in the target file says how many there are.`;
  judgeUnlessExplained(t, id, judgement, t.limits.replicas === undefined ? more : undefined);
}
