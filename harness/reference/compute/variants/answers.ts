/** Variants in paths, statuses, bodies and bytes. */

import { defaultPresetFields } from '../choices.ts';
import { type ComputeVariant, choosing, presetChoices } from './variant.ts';

export const answerVariants: readonly ComputeVariant[] = [
  choosing('other-paths', 'Terminate and start have other paths, and start is a PUT.', {
    terminatePath: '/instances/{id}/actions/destroy',
    start: { method: 'PUT', path: '/boot-up/{id}' },
  }),
  choosing('no-start', 'Instances cannot be started over the API.', { startOffered: false }),
  choosing('plain-200', 'Stop, terminate and provision answer 200, start answers 204.', {
    stopStatus: 200,
    terminateStatus: 200,
    startStatus: 204,
    startAnswers: 'nothing',
    provisionStatus: 200,
  }),
  choosing('created-201', 'Stop and terminate answer 201.', {
    stopStatus: 201,
    terminateStatus: 201,
  }),
  choosing('wrapped-bodies', 'A single instance and the regions stand inside an object.', {
    getInstanceMember: 'instance',
    getInstanceVariant: 'action',
    regionsBody: { member: 'regions', item: undefined },
  }),
  choosing('other-preset-names', 'Presets have other names, are nested and come by price.', {
    ...presetChoices({
      items: 'presets',
      skuFilter: 'sku_name',
      freeTextFilter: 'q',
      defaultSize: 100,
      fields: { ...defaultPresetFields, sku: 'sku', price: 'credits_per_hour', cpu: 'vcpus' },
      shape: 'nested',
      noRegion: 'absent',
      noRegionSorts: 'last',
      order: 'price',
    }),
  }),
  choosing('extra-members', 'Records, pages, presets and envelopes have further members.', {
    instanceExtras: { tags: ['x'], created_by: null },
    presetExtras: { soon: false },
    pageExtras: { total: 3, links: [{ rel: 'self' }], warnings: ['A page like any other.'] },
    paginationExtras: { previous: null },
    envelopeExtras: { top: { status: 'error' }, error: { details: [] } },
    extraHeaders: [['X-Trace', 'abc']],
  }),
  choosing('headline-by-model', 'Dates have whole seconds, headlines name the GPU.', {
    dates: 'seconds',
    headline: 'times-model',
  }),
  choosing('headline-by-cores', 'Dates have microseconds, headlines count cores.', {
    dates: 'microseconds',
    headline: 'vcpus',
    guestReady: { ready: 'yes', notReady: '' },
  }),
  choosing('dates-with-offset', 'Dates have a numeric offset, headlines the GPU in parentheses.', {
    dates: 'offset',
    headline: 'in-parentheses',
  }),
  choosing('other-errors', 'Errors have no text, 409 another code, unknown routes plain text.', {
    conflictCode: 'INSTANCE_GONE',
    message: () => '',
    challenge: undefined,
    malformedId: 404,
    unknownRoute: 'plain',
    wrongMethod: 405,
    precedence: 'request-first',
  }),
  choosing('conflict-is-validation', '409 carries a code of the enum.', {
    conflictCode: 'VALIDATION_ERROR',
    wrongMethod: 405,
  }),
  choosing('chunked-lower-case', 'Bodies are chunked and pretty, header names in lower case.', {
    framing: { headerCase: 'lower', chunkBytes: 100 },
    json: 'pretty',
    contentType: 'application/json; charset=utf-8',
  }),
  choosing('upper-case-ascii', 'Header names are in upper case, bodies in ASCII.', {
    framing: { headerCase: 'upper', chunkBytes: undefined },
    json: 'ascii',
    contentType: 'Application/JSON;charset=UTF-8',
  }),
];
