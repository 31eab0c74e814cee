/** Backend error classification: the decision tables, row by row, over scripted engine errors. */

import type { RouterRequirementId } from '../../schemas/router/catalogue.ts';
import { classifiedAs } from '../../harness/checks/router/classified.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import {
  errorBody,
  type GeneratedError,
  type Place,
  spelledWidely,
  typesOfEngines,
} from '../../harness/generate/engine-error.ts';
import { parametersAt } from '../../harness/drivers/router/request-parameters.ts';
import { respond, respondText } from '../../harness/backend/behaviours.ts';
import { afterError, provoke } from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';

type Id = RouterRequirementId & `router.backend-classification.${string}`;

/** One row: the errors that show one requirement. */
type Row = readonly [id: Id, errors: readonly GeneratedError[]];

const NEUTRAL = 'the value of `top_p` is not supported';
const CONTEXT = 'the maximum context length is 8192 tokens';

const errors = (
  statuses: readonly number[],
  body: string | ((status: number) => string),
): readonly GeneratedError[] =>
  statuses.map((status) => ({ status, body: typeof body === 'string' ? body : body(status) }));

/** A status of its own row would hide a type that is not recognised, so others are used as well. */
const typeRow = (place: Place, type: string): readonly GeneratedError[] =>
  type === 'context_length_exceeded'
    ? errors([400, 422, 500], errorBody(place, type, NEUTRAL))
    : [
        ...errors([418, 500], errorBody(place, type, NEUTRAL)),
        ...(place === 'top' ? errors([418], besideError(type)) : []),
      ];

/** A type at the top, the message beside it in an error that has none. */
const besideError = (type: string): string => JSON.stringify({ type, error: { message: NEUTRAL } });

/** An error with a code that would be a type if it stood there, beside another type or none. */
const coded = (type?: string): string =>
  JSON.stringify({ error: { type, code: 'context_length_exceeded', message: NEUTRAL } });

/** A type as engines nest it, whose errors have a type of their own at the top or none. */
const typedByEngine = (status: number, type: string): readonly GeneratedError[] => [
  ...errors([status], errorBody('nested', type, NEUTRAL)),
  ...errors([status], JSON.stringify({ type: 'error', error: { type, message: NEUTRAL } })),
];

const types = ['context_length_exceeded', 'invalid_request_error', 'invalid_parameter'] as const;
const places = ['top', 'nested'] as const;

const known = (
  statuses: readonly number[],
  message: string,
  chosen: readonly string[] = types,
): readonly GeneratedError[] =>
  chosen.flatMap((type) =>
    places.flatMap((place) => errors(statuses, errorBody(place, type, message))),
  );

/** Statuses that a router may take for something of their own. */
const furtherStatuses = [402, 405, 408, 409, 410, 415, 424, 425, 431, 451, 499, 501, 504, 511, 529];

/** A known type at each status, the types and places in turn. */
const eachOnce = (statuses: readonly number[], message: string): readonly GeneratedError[] =>
  statuses.flatMap((status, at) =>
    errors(
      [status],
      errorBody(places[at % places.length] ?? 'nested', types[at % types.length], message),
    ),
  );

/** Errors in JSON that does not begin with a brace. */
const spelled: readonly GeneratedError[] = [
  ...errors([500], spelledWidely(errorBody('top', 'invalid_parameter', NEUTRAL))),
  ...errors([404], spelledWidely(errorBody('nested', 'context_length_exceeded', NEUTRAL))),
];

/** The wording behind as much as a message of a raw body may have: the message of JSON is looked for wherever it stands. */
const wordedLate: readonly GeneratedError[] = errors(
  [400, 422],
  JSON.stringify({ error: { trace: 'x'.repeat(600), message: CONTEXT } }),
);

const wording = (...messages: readonly string[]): readonly GeneratedError[] =>
  messages.flatMap((message) => [
    ...errors([400], JSON.stringify({ error: { message } })),
    ...errors([422], JSON.stringify({ message })),
  ]);

const unknownTypes: readonly unknown[] = [
  'server_error',
  '',
  7,
  null,
  true,
  ['invalid_parameter'],
  {},
];

const table: readonly Row[] = [
  [
    'router.backend-classification.top-level-context-length',
    typeRow('top', 'context_length_exceeded'),
  ],
  [
    'router.backend-classification.nested-context-length',
    typeRow('nested', 'context_length_exceeded'),
  ],
  [
    'router.backend-classification.top-level-invalid-request',
    typeRow('top', 'invalid_request_error'),
  ],
  [
    'router.backend-classification.nested-invalid-request',
    [
      ...typeRow('nested', 'invalid_request_error'),
      // As engines write it whose errors have a code beside the type.
      ...errors([400, 500], coded('invalid_request_error')),
    ],
  ],
  [
    'router.backend-classification.top-level-invalid-parameter',
    typeRow('top', 'invalid_parameter'),
  ],
  [
    'router.backend-classification.nested-invalid-parameter',
    typeRow('nested', 'invalid_parameter'),
  ],
  ['router.backend-classification.type-over-429-503', known([429, 503], NEUTRAL)],
  [
    'router.backend-classification.type-over-other-status',
    [
      ...known([401, 403, 404, 413, 418, 500, 502], NEUTRAL),
      ...eachOnce(furtherStatuses, NEUTRAL),
      ...spelled,
    ],
  ],
  [
    'router.backend-classification.type-over-wording',
    known([400, 422], CONTEXT, ['invalid_request_error', 'invalid_parameter']),
  ],
  [
    'router.backend-classification.wording-length',
    wording('context length exceeded', 'the prompt is longer than the context length'),
  ],
  [
    'router.backend-classification.wording-window',
    wording('context window exceeded', 'larger than the window of the context'),
  ],
  [
    'router.backend-classification.wording-token',
    wording('more than one token over the context', 'too many tokens for this context'),
  ],
  [
    'router.backend-classification.wording-any-order-and-case',
    [
      ...wording(
        'LENGTH of the CONTEXT',
        'Window: Context',
        'cOnTeXt tOkEn',
        'TOKENS > CONTEXT',
        'The context of this model ends at 8192, and what was asked for comes to more than 9000 tokens.',
      ),
      ...wordedLate,
    ],
  ],
  [
    'router.backend-classification.wording-in-raw-body',
    [
      ...errors([400, 422], 'context length exceeded'),
      ...errors([400, 422], '<html><p>Too many tokens for the context</p></html>'),
    ],
  ],
  [
    'router.backend-classification.wording-other-status',
    errors(
      [401, 403, 404, 409, 413, 418, 429, 500, 502, 503],
      JSON.stringify({ error: { message: CONTEXT } }),
    ),
  ],
  [
    'router.backend-classification.other-400',
    [
      ...errors([400], JSON.stringify({ error: { message: NEUTRAL } })),
      ...errors([400], JSON.stringify({ message: 'the context is not valid' })),
      ...errors([400], JSON.stringify({ error: { message: 'the length of `stop` is too large' } })),
      ...errors([400], JSON.stringify({ error: { message: { text: NEUTRAL }, type: null } })),
      ...errors([400], NEUTRAL),
      ...errors([400], ''),
      ...errors([400], '<html></html>'),
    ],
  ],
  [
    'router.backend-classification.other-422',
    [
      ...errors([422], JSON.stringify({ detail: [{ msg: NEUTRAL }] })),
      ...errors([422], JSON.stringify({ error: 'too many tokens' })),
      ...errors([422], JSON.stringify({ error: { message: 'the window is too large' } })),
      ...errors([422], NEUTRAL),
      ...errors([422], ''),
    ],
  ],
  [
    'router.backend-classification.status-429',
    [
      ...errors([429], ''),
      ...errors([429], JSON.stringify({ error: { message: 'busy' } })),
      ...typesOfEngines.flatMap((type) => typedByEngine(429, type)),
    ],
  ],
  [
    'router.backend-classification.status-503',
    [
      ...errors([503], ''),
      ...errors([503], JSON.stringify({ error: { message: 'loading' } })),
      ...errors([503], coded()),
      ...typesOfEngines.flatMap((type) => typedByEngine(503, type)),
    ],
  ],
  [
    'router.backend-classification.status-other',
    errors(
      [
        // Not one that asks to go elsewhere: clients of HTTP that follow it meet another answer, or none.
        300,
        401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 414, 415, 416, 418, 421, 423, 424, 425,
        428, 431, 451, 499, 500, 501, 502, 504, 505, 507, 508, 511, 520, 522, 524, 529, 599,
      ],
      JSON.stringify({ error: { message: NEUTRAL } }),
    ),
  ],
  [
    'router.backend-classification.unknown-type',
    [
      ...unknownTypes.flatMap((type) =>
        places.flatMap((place) => [
          ...errors([418], errorBody(place, type, NEUTRAL)),
          ...errors([400], errorBody(place, type, CONTEXT)),
        ]),
      ),
      ...errors([400, 418], coded('server_error')),
      ...errors([418, 500], coded()),
      ...typesOfEngines.flatMap((type) => typedByEngine(500, type)),
    ],
  ],
];

/** Labels that servers give to JSON by mistake. */
const otherLabels = ['text/plain', 'text/html; charset=utf-8', 'application/octet-stream'] as const;

/** Bytes that are no text in UTF-8, by the row of their status. */
const noText = Buffer.from([0xff, 0xfe, 0xe2, 0x82, 0x20, 0xc0, 0x80]).toString('base64');
const rowsOfStatus = [
  [400, 'other-400'],
  [422, 'other-422'],
  [429, 'status-429'],
  [503, 'status-503'],
  [500, 'status-other'],
] as const;

export default routerSection('backend-classification', (test) => {
  test(
    'a body that is no UTF-8 is classified by its status',
    {
      judges: [
        'router.backend-classification.other-400',
        'router.backend-classification.other-422',
        'router.backend-classification.status-429',
        'router.backend-classification.status-503',
        'router.backend-classification.status-other',
      ],
    },
    async (t) => {
      for (const [status, slug] of rowsOfStatus) {
        const answer = respond(status, undefined, { base64: noText });
        const { exchange, hits } = await provoke(t, answer, { repeat: false });
        t.judge(
          `router.backend-classification.${slug}`,
          whenReached(hits, () => classifiedAs(exchange, { status, body: '' })),
        );
      }
    },
  );

  test(
    'a JSON error is read whatever its engine calls it',
    { judges: ['router.backend-classification.json-whatever-its-label'] },
    async (t) => {
      for (const [place, type] of types.entries()) {
        const body = errorBody(places[place % places.length] ?? 'top', type, NEUTRAL);
        const headers: [string, string][] = [['Content-Type', otherLabels[place] ?? 'text/plain']];
        const answer = respondText(500, body, { headers });
        const { exchange, hits } = await provoke(t, answer, { repeat: false });
        t.judge(
          'router.backend-classification.json-whatever-its-label',
          whenReached(hits, () => classifiedAs(exchange, { status: 500, body })),
        );
      }
    },
  );

  for (const [id, rows] of table) {
    const [, , slug] = id.split('.');
    test(`row ${slug}`, { judges: [id], requests: rows.length }, async (t) => {
      for (const [place, error] of rows.entries()) {
        const { exchange, hits } = await afterError(t, error, parametersAt(place));
        t.judge(
          id,
          whenReached(hits, () => classifiedAs(exchange, error)),
        );
      }
    });
  }
});
