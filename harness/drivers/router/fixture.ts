/** The models of a target file by their roles. */

import { routerNeeds } from '../../../schemas/needs.ts';
import { NotExercised } from '../../runner/signals.ts';
import type { RouterContext } from './session.ts';

type Models = RouterContext['models'];
type RoleIn<Need> = Need extends `models.${infer Role}` ? Role : never;
export type ModelRole = keyof Models & RoleIn<keyof typeof routerNeeds>;

/** The model of a role. Throws `NotExercised` when the target file names none. */
export function requireFixture<Role extends ModelRole>(
  t: Pick<RouterContext, 'models'>,
  role: Role,
): NonNullable<Models[Role]> {
  const model = t.models[role];
  if (model !== undefined && model !== null) return model;
  const need: `models.${ModelRole}` = `models.${role}`;
  throw new NotExercised(`needs ${routerNeeds[need].purpose}`, routerNeeds[need].line);
}
