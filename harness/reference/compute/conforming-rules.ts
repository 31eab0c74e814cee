/** The rules as the contract has them. */

import { listInstances, listPresets, listRegions } from './operations/lists.ts';
import {
  getInstance,
  provision,
  startInstance,
  stopInstance,
  terminateInstance,
} from './operations/instances.ts';
import { addSshKey, listSshKeys, removeSshKey } from './operations/ssh-keys.ts';
import type { ComputeRules } from './context.ts';
import * as actions from './rules/actions.ts';
import * as authentication from './rules/authentication.ts';
import * as costs from './rules/costs.ts';
import * as cursor from './rules/cursor.ts';
import * as dates from './rules/dates.ts';
import * as errors from './rules/errors.ts';
import * as filters from './rules/filters.ts';
import * as lifecycle from './rules/lifecycle.ts';
import * as paging from './rules/paging.ts';
import * as parameters from './rules/parameters.ts';
import * as presets from './rules/presets.ts';
import * as records from './rules/records.ts';
import * as sorting from './rules/sorting.ts';

export const conformingRules: ComputeRules = {
  onRequest: () => undefined,
  onResponse: (_context, answer) => answer,
  onReply: (_context, reply) => reply,
  operate: {
    'list-instances': listInstances,
    'get-instance': getInstance,
    'stop-instance': stopInstance,
    'terminate-instance': terminateInstance,
    'start-instance': startInstance,
    regions: listRegions,
    presets: listPresets,
    provision,
    'list-ssh-keys': listSshKeys,
    'add-ssh-key': addSshKey,
    'remove-ssh-key': removeSshKey,
  },
  ...actions,
  ...authentication,
  ...costs,
  ...cursor,
  ...dates,
  ...errors,
  ...filters,
  ...lifecycle,
  ...paging,
  ...parameters,
  ...presets,
  ...records,
  ...sorting,
};
