/** Who is in the account of a caller, and beside it. */

import { type RequestContext, callerOf } from '../context.ts';
import type { Account, Instance } from '../model.ts';

/** Instances of an account that the largest page does not show whole. */
export const MORE_THAN_A_PAGE = 230;

/** The caller's own instances, oldest first. */
export function instancesOf(context: RequestContext): readonly Instance[] {
  return callerOf(context).instances;
}

/** The account of another key: the second one for everybody but itself. */
export function otherAccount(context: RequestContext): Account {
  return context.world.accountOf(context.key?.role === 'second' ? 'primary' : 'second');
}
