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

/** What a target file says of a key. Throws `NotExercised` when it has none of this name. */
export function requireKey<Role extends KeyRole>(
  t: Pick<RouterContext, 'target'>,
  role: Role,
): NonNullable<Keys[Role]> {
  const need: `keys.${KeyRole}` = `keys.${role}`;
  return required(t.target.keys[role], need);
}

/** The key with an allowlist, whose denied model exists: nothing else can be the reason to refuse it. */
export async function requireDenied(t: Pick<RouterContext, 'api' | 'target'>) {
  const allowlisted = requireKey(t, 'allowlisted');
  await requireVisible(t, allowlisted.denies, 'allowlisted');
  return allowlisted;
}

/**
 * Models of other routes that the key with an allowlist may not use. A list that shows it the model that it may use, and
 * not the one that it may not, follows the allowlist: then whatever else is missing there is denied as well.
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

/** Keys that may see more than one that is meant to see less. */
const plainKeys = ['client', 'second', 'unlimited'] as const;

/** Throws `NotExercised` when no key of the target file, other than `except`, sees the model in its list. */
export async function requireVisible(
  t: Pick<RouterContext, 'api' | 'target'>,
  model: string,
  except: string,
): Promise<void> {
  for (const as of plainKeys) {
    if (as === except || t.target.keys[as] === undefined) continue;
    if (listedModels(await t.api.models({ as }))?.includes(model) === true) return;
  }
  throw new NotExercised(
    `no key of the target file but "${except}" sees the model ${model}, so that nothing shows that it exists`,
  );
}

/** Throws `NotExercised` when a step of this deployment tries less often. */
export function requireTries(t: Pick<RouterContext, 'limits'>, least: number): void {
  const { maxTries = least } = t.limits;
  if (maxTries >= least) return;
  throw new NotExercised(
    `a step tries ${maxTries === 1 ? 'once' : `${maxTries} times`}, and this is about ${least} tries`,
    `limits: { maxTries: ${least} }`,
  );
}

/** Replicas that are allowed for where the target file does not say how many there are. */
const ASSUMED_REPLICAS = 4;

/** Replicas that are allowed for: those of the target file, or four. */
export function replicasOf({ limits }: Pick<RouterContext, 'limits'>): number {
  return limits.replicas ?? ASSUMED_REPLICAS;
}

/** Answers in a row beyond the replicas: each of those may have a count of its own. */
const ANSWERS = 5;

/** Answers one after the other for each of some models: which answers tell of a quota is open, and it may be one of a model. */
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

/** Judges, unless a violation has another explanation: then it is inconclusive, and that is said. */
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

/** Judges a limit that each replica may hold for itself: a violation is inconclusive where there are several. */
export function judgeInEach(t: Judging, id: RouterRequirementId, judgement: Judgement): void {
  const { replicas = 1 } = t.limits;
  const each = `Each of the ${replicas} replicas may count for itself.`;
  judgeUnlessExplained(t, id, judgement, replicas === 1 ? undefined : each);
}

/**
 * Judges what more replicas than are allowed for would explain: a violation is inconclusive where the target file does not
 * say how many there are.
 */
export function judgeByReplicas(t: Judging, id: RouterRequirementId, judgement: Judgement): void {
  const more = `More than ${ASSUMED_REPLICAS} replicas would explain it; "limits: { replicas: ... }" in the target file says how many there are.`;
  judgeUnlessExplained(t, id, judgement, t.limits.replicas === undefined ? more : undefined);
}
