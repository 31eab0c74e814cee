/** All deliberate violations of the compute contract, in the order of its documents. */

import type { Fault } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import { authenticationFaults } from './authentication.ts';
import { rateLimitingFaults } from './rate-limiting.ts';
import { errorsFaults } from './errors.ts';
import { mediaFaults } from './media.ts';
import { regionsFaults } from './regions.ts';
import { instanceRecordActionsFaults } from './instance-record-actions.ts';
import { instanceRecordListsFaults } from './instance-record-lists.ts';
import { sizesFaults } from './sizes.ts';
import { listFiltersFaults } from './list-filters.ts';
import { listSearchFaults } from './list-search.ts';
import { listDatesFaults } from './list-dates.ts';
import { listSortsFaults } from './list-sorts.ts';
import { listAnswersFaults } from './list-answers.ts';
import { paginationWalksFaults } from './pagination-walks.ts';
import { paginationFaults } from './pagination.ts';
import { presetSortsFaults } from './preset-sorts.ts';
import { presetFiltersFaults } from './preset-filters.ts';
import { presetsFaults } from './presets.ts';
import { getInstanceFaults } from './get-instance.ts';
import { startInstanceFaults } from './start-instance.ts';
import { instanceRecordFieldsFaults } from './instance-record-fields.ts';
import { notesFaults } from './notes.ts';
import { stopInstanceFaults } from './stop-instance.ts';
import { terminateInstanceFaults } from './terminate-instance.ts';
import { statesFaults } from './states.ts';
import { statesTerminatedFaults } from './states-terminated.ts';
import { scopingFaults } from './scoping.ts';
import { scopingForeignFaults } from './scoping-foreign.ts';

export const computeFaults: readonly Fault<ComputeRules>[] = [
  ...authenticationFaults,
  ...rateLimitingFaults,
  ...errorsFaults,
  ...mediaFaults,
  ...regionsFaults,
  ...instanceRecordActionsFaults,
  ...instanceRecordListsFaults,
  ...sizesFaults,
  ...listFiltersFaults,
  ...listSearchFaults,
  ...listDatesFaults,
  ...listSortsFaults,
  ...listAnswersFaults,
  ...paginationWalksFaults,
  ...paginationFaults,
  ...presetSortsFaults,
  ...presetFiltersFaults,
  ...presetsFaults,
  ...getInstanceFaults,
  ...startInstanceFaults,
  ...instanceRecordFieldsFaults,
  ...notesFaults,
  ...stopInstanceFaults,
  ...terminateInstanceFaults,
  ...statesFaults,
  ...statesTerminatedFaults,
  ...scopingFaults,
  ...scopingForeignFaults,
];
