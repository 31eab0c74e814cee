/** All faults of the compute contract, in the order of its documentation. */

import type { Fault } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import { authenticationFaults } from './authentication.ts';
import { errorsFaults } from './errors.ts';
import { listFiltersFaults } from './list-filters.ts';
import { instanceRecordActionsFaults, instanceRecordFieldsFaults } from './instance-record.ts';
import { instanceRecordListsFaults } from './instance-record-lists.ts';
import { paginationWalksFaults } from './pagination-walks.ts';
import { listSearchesFaults } from './list-searches.ts';
import { listOrdersFaults } from './list-orders.ts';
import { paginationFaults } from './pagination.ts';
import { presetSortsFaults } from './preset-sorts.ts';
import { presetFiltersFaults } from './preset-filters.ts';
import { actionsFaults } from './actions.ts';
import { notesFaults } from './notes.ts';
import { statesFaults } from './states.ts';
import { togetherFaults } from './together.ts';
import { scopingFaults } from './scoping.ts';
import { secondAccountFaults } from './second-account.ts';

export const computeFaults: readonly Fault<ComputeRules>[] = [
  ...authenticationFaults,
  ...errorsFaults,
  ...listFiltersFaults,
  ...instanceRecordActionsFaults,
  ...instanceRecordListsFaults,
  ...paginationWalksFaults,
  ...listSearchesFaults,
  ...listOrdersFaults,
  ...paginationFaults,
  ...presetSortsFaults,
  ...presetFiltersFaults,
  ...actionsFaults,
  ...instanceRecordFieldsFaults,
  ...notesFaults,
  ...statesFaults,
  ...togetherFaults,
  ...scopingFaults,
  ...secondAccountFaults,
];
