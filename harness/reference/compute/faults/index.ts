/** All faults of the compute deployment. */

import type { Fault } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import { accessFaults } from './access.ts';
import { actedUponFaults } from './acted-upon.ts';
import { authenticationFaults } from './authentication.ts';
import { besideFaults } from './beside.ts';
import { cursorFaults } from './cursors.ts';
import { errorFaults } from './errors.ts';
import { figureFaults } from './figures.ts';
import { forgottenFaults } from './forgotten.ts';
import { getInstanceFaults } from './get-instance.ts';
import { justStoppedFaults } from './just-stopped.ts';
import { laterPageFaults } from './later-pages.ts';
import { listAnswerFaults } from './list-answers.ts';
import { listDateFaults } from './list-dates.ts';
import { listFilterFaults } from './list-filters.ts';
import { listSearchFaults } from './list-search.ts';
import { listSortFaults } from './list-sorts.ts';
import { mediaFaults } from './media.ts';
import { noteFaults } from './notes.ts';
import { pagedListFaults } from './paged-lists.ts';
import { pageFaults } from './pages.ts';
import { presetListFaults } from './preset-lists.ts';
import { presetSortFaults } from './preset-sorts.ts';
import { rateLimitingFaults } from './rate-limiting.ts';
import { recordFieldFaults } from './record-fields.ts';
import { recordRelationFaults } from './record-relations.ts';
import { regionFaults } from './regions.ts';
import { revivalFaults } from './revivals.ts';
import { scopingFaults } from './scoping.ts';
import { sizeFaults } from './sizes.ts';
import { startInstanceFaults } from './start-instance.ts';
import { stateFaults } from './states.ts';
import { stopFaults } from './stop.ts';
import { terminateFaults } from './terminate.ts';
import { walkFaults } from './walks.ts';
import { wildcardFaults } from './wildcards.ts';

export const computeFaults: readonly Fault<ComputeRules>[] = [
  ...accessFaults,
  ...authenticationFaults,
  ...errorFaults,
  ...mediaFaults,
  ...recordFieldFaults,
  ...recordRelationFaults,
  ...figureFaults,
  ...listAnswerFaults,
  ...sizeFaults,
  ...listFilterFaults,
  ...listSearchFaults,
  ...listDateFaults,
  ...listSortFaults,
  ...pageFaults,
  ...walkFaults,
  ...laterPageFaults,
  ...besideFaults,
  ...cursorFaults,
  ...getInstanceFaults,
  ...stopFaults,
  ...noteFaults,
  ...terminateFaults,
  ...startInstanceFaults,
  ...stateFaults,
  ...regionFaults,
  ...presetListFaults,
  ...presetSortFaults,
  ...scopingFaults,
  ...rateLimitingFaults,
  ...wildcardFaults,
  ...forgottenFaults,
  ...actedUponFaults,
  ...justStoppedFaults,
  ...revivalFaults,
  ...pagedListFaults,
];
