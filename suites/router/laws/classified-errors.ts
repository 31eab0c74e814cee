/** Engine errors for each row of the decision tables, and the checks of the router's response. */

import { type Arbitrary, constantFrom } from 'fast-check';
import {
  messageHolds,
  noRateLimit,
  rawMessageIsBeginning,
  rawMessageTruncated,
} from '../../../harness/checks/router/classification.ts';
import { endedWith } from '../../../harness/checks/router/outcome.ts';
import type { Judgement } from '../../../harness/checks/judgement.ts';
import type { SlugIn } from '../../../harness/drivers/router/session.ts';
import type { Exchange } from '../../../harness/exchange/exchange.ts';
import {
  contextWording,
  contextWordings,
  longPages,
  longRawText,
  numberedWords,
  plainText,
  shortRawText,
  straddlingText,
} from '../../../harness/generate/texts.ts';
import {
  anySaying,
  at,
  coded,
  CONTEXT,
  formlessError,
  type GeneratedError,
  known,
  knownInTurn,
  mislabelled,
  NEUTRAL,
  noText,
  rateLimits,
  saying,
  spelled,
  typed,
  typedByEngines,
  typedError,
  typedOfAnySize,
  unnamed,
  unknownTypes,
  untypedOfAnySize,
  untypedError,
  worded,
  wordedError,
  wordedLate,
} from '../../../harness/generate/engine-errors.ts';

const TOO_LONG = 'context_length_exceeded';

type Check = (exchange: Exchange, error: GeneratedError) => Judgement;

interface More {
  /** Distinguishes several rows of one requirement. */
  readonly title?: string;
  /** Generated errors, tried in addition to those of the row. */
  readonly any?: Arbitrary<GeneratedError>;
  /** The check of each response (default: the code of the tables). */
  readonly check?: Check;
  /** Further requirements judged on the same responses. */
  readonly also?: readonly (readonly [slug: SlugIn<'backend-classification'>, check: Check])[];
  /** True to ask for streams: an error before the first byte of a stream is like any other. */
  readonly stream?: boolean;
}

/** A raw body of a 400 or 422, whose code stops the session, so that no later failure replaces its message. */
const raw = (bodies: Arbitrary<string>) =>
  bodies.chain((body) => constantFrom(400, 422).map((status) => ({ status, body })));
const rawOf = (status: number, bytes: number) => at([status], numberedWords(bytes).slice(0, bytes));

/** A text about as long as the part that a message must contain, on two lines, as engines list what they found. */
const AT_LENGTH = `${NEUTRAL}:\nit must be above 0 and at most 1, for every model that samples its output`;

const holdsMessage: Check = (exchange, { body, message = body }) => messageHolds(exchange, message);
const isCut: Check = (exchange, { body }) => rawMessageTruncated(exchange, body);
const isBeginning: Check = (exchange, { body }) => rawMessageIsBeginning(exchange, body);

/** The engine errors for each row of the tables. */
export const classified: readonly (readonly [
  slug: SlugIn<'backend-classification'>,
  errors: readonly GeneratedError[],
  more?: More,
])[] = [
  ['top-level-context-length', typed('top', 'context_length_exceeded')],
  ['nested-context-length', typed('nested', 'context_length_exceeded')],
  ['top-level-invalid-request', typed('top', 'invalid_request_error')],
  [
    'nested-invalid-request',
    [
      ...typed('nested', 'invalid_request_error'),
      // The form of engines whose errors have a code in addition to the type.
      ...at([400, 500], coded('invalid_request_error')),
    ],
  ],
  ['top-level-invalid-parameter', typed('top', 'invalid_parameter')],
  ['nested-invalid-parameter', typed('nested', 'invalid_parameter')],
  [
    'one-known-type',
    [
      ...at([400, 500], { type: 'error', error: { type: TOO_LONG, message: NEUTRAL } }),
      ...at([500], { type: TOO_LONG, error: { type: 'server_error', message: NEUTRAL } }),
    ],
    { check: (exchange) => endedWith(exchange, [TOO_LONG]) },
  ],
  ['type-over-429-503', known([429, 503], NEUTRAL)],
  [
    'type-over-other-status',
    [
      ...known([418, 500], NEUTRAL),
      // Statuses that a router may treat specially.
      ...knownInTurn(
        [
          401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 424, 425, 431, 451, 499, 501, 502, 504,
          511, 529,
        ],
        NEUTRAL,
      ),
      ...spelled,
    ],
    { any: typedError },
  ],
  ['type-over-other-status', typedOfAnySize, { title: 'of any size' }],
  ['type-over-wording', known([400, 422], CONTEXT, ['invalid_request_error', 'invalid_parameter'])],
  [
    'wording-length',
    worded('context length exceeded', 'the prompt is longer than the context length'),
  ],
  ['wording-window', worded('context window exceeded', 'larger than the window of the context')],
  [
    'wording-token',
    worded('more than one token over the context', 'too many tokens for this context'),
  ],
  [
    'wording-any-order-and-case',
    [
      ...contextWordings.flatMap((message, turn) => worded(message)[turn % 2] ?? []),
      ...worded(
        'LENGTH of the CONTEXT',
        'Window: Context',
        'cOnTeXt tOkEn',
        'TOKENS > CONTEXT',
        `${'The model reads what it was sent. '.repeat(7)}Its context ends at 8192, and what was asked for comes to more than 9000 tokens.`,
      ),
      ...wordedLate,
    ],
    { any: wordedError },
  ],
  [
    'wording-in-raw-body',
    [
      ...at([400, 422], 'context length exceeded'),
      ...at([400, 422], '<html>\n<p>Too many tokens\nfor the context</p></html>'),
    ],
  ],
  [
    'wording-other-status',
    at([401, 403, 404, 409, 413, 418, 429, 500, 502, 503], {
      error: { message: CONTEXT },
    }),
  ],
  [
    'other-400',
    [
      ...at([400], { error: { message: NEUTRAL } }),
      ...at([400], { message: 'the context is of the wrong size' }),
      ...at([400], { error: { message: 'the length of `stop` is too large' } }),
      ...at([400], { error: { message: { text: NEUTRAL }, type: null } }),
      ...at([400], { error: { message: [NEUTRAL] } }),
      ...at([400], { error: { message: null } }),
      ...[NEUTRAL, '{"error":null}', '<html></html>', ''].flatMap((body) => at([400], body)),
      ...noText(400),
    ],
  ],
  [
    'other-422',
    [
      ...at([422], { detail: [{ msg: NEUTRAL }] }),
      ...at([422], { error: 'the prompt is too long: too many tokens' }),
      ...at([422], { error: { message: 'the window is too large' } }),
      ...['[]', ''].flatMap((body) => at([422], body)),
      ...noText(422),
    ],
  ],
  [
    'status-429',
    [
      ...at([429], ''),
      ...noText(429),
      ...at([429], { error: { message: 'busy' } }),
      ...typedByEngines(429),
    ],
  ],
  [
    'status-503',
    [
      ...at([503], ''),
      ...noText(503),
      ...at([503], { error: { message: 'loading' } }),
      ...at([503], coded()),
      ...typedByEngines(503),
    ],
  ],
  [
    'status-other',
    [
      ...at(
        [
          // 300, but none of the redirects 301 to 308: an HTTP client that follows one gets another response, or none.
          300,
          401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 414, 415, 416, 418, 421, 423, 424, 425,
          428, 431, 451, 499, 500, 501, 502, 504, 505, 507, 508, 511, 520, 522, 524, 529, 599,
        ],
        { error: { message: NEUTRAL } },
      ),
      ...noText(500),
    ],
    { any: formlessError },
  ],
  ['status-other', untypedOfAnySize, { title: 'of any size' }],
  [
    'unknown-type',
    [
      ...unknownTypes,
      // A known type in another place is none.
      ...at([418], { detail: { type: 'invalid_parameter' } }),
      ...at([418], [{ type: 'invalid_parameter' }]),
      ...at([400, 418], coded('server_error')),
      ...at([418, 500], coded()),
      ...typedByEngines(500),
    ],
    { any: untypedError },
  ],
  ['json-whatever-its-label', mislabelled],
  ['status-429-not-rate-limit', rateLimits, { check: noRateLimit }],
  [
    'message-from-json',
    saying(AT_LENGTH),
    { title: 'plain', any: anySaying(plainText), check: holdsMessage },
  ],
  [
    'message-from-json',
    saying(CONTEXT),
    { title: 'on context', any: anySaying(contextWording), check: holdsMessage },
  ],
  [
    'message-from-json',
    saying(NEUTRAL),
    { title: 'before a stream', stream: true, check: holdsMessage },
  ],
  [
    'message-from-raw',
    [...at([400, 422], NEUTRAL), unnamed],
    { title: 'before a stream, as text or as JSON without one', stream: true, check: holdsMessage },
  ],
  [
    'message-from-raw',
    ['der Wert ist zu groß: "値"', AT_LENGTH, `<html>\n<p>${NEUTRAL}</p></html>`].flatMap((body) =>
      at([400], body),
    ),
    {
      title: 'short',
      any: raw(shortRawText),
      check: holdsMessage,
      also: [['raw-message-is-beginning', isBeginning]],
    },
  ],
  [
    'message-from-raw',
    [],
    {
      title: 'long',
      any: raw(longRawText),
      check: holdsMessage,
      also: [
        ['raw-message-is-beginning', isBeginning],
        ['raw-message-truncated', isCut],
      ],
    },
  ],
  [
    'raw-message-truncated',
    [
      ...[513, 514, 1_024, 65_536, 500_000].flatMap((bytes) => rawOf(400, bytes)),
      ...[422, 500, 404, 418, 502, 429].flatMap((status) => rawOf(status, 1_024)),
      ...longPages.map((body) => ({ status: 400, body })),
    ],
    { check: isCut },
  ],
  [
    'raw-message-truncated',
    [...rawOf(400, 1_024), ...rawOf(503, 1_024)],
    { title: 'before a stream', stream: true, check: isCut },
  ],
  ['raw-message-truncated-multibyte', [], { any: raw(straddlingText), check: isCut }],
];
