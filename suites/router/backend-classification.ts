/** Backend error classification: the decision tables, row by row, and what of an error becomes the message. */

import { boolean, nat, tuple } from 'fast-check';
import { respondBytes, respondText } from '../../harness/backend/behaviour.ts';
import {
  classifiedAs,
  messageHolds,
  noRateLimit,
  rawMessageIsBeginning,
  rawMessageTruncated,
} from '../../harness/checks/router/classification.ts';
import { outcomeText } from '../../harness/checks/router/outcome.ts';
import { afterError, judgedAnswer, judgedError } from '../../harness/drivers/router/provoke.ts';
import { parametersAt } from '../../harness/drivers/router/bodies.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import {
  contextWording,
  longPages,
  longRawText,
  numberedWords,
  plainText,
  shortRawText,
  straddlingText,
} from '../../harness/generate/texts.ts';
import {
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
  spelled,
  typed,
  typedByEngine,
  typedError,
  typesOfEngines,
  unknownTypes,
  untypedError,
  worded,
  wordedError,
  wordedLate,
} from '../../harness/generate/engine-errors.ts';

/** The errors that show each row. */
const rows = [
  ['top-level-context-length', typed('top', 'context_length_exceeded')],
  ['nested-context-length', typed('nested', 'context_length_exceeded')],
  ['top-level-invalid-request', typed('top', 'invalid_request_error')],
  [
    'nested-invalid-request',
    [
      ...typed('nested', 'invalid_request_error'),
      // As engines write it whose errors have a code beside the type.
      ...at([400, 500], coded('invalid_request_error')),
    ],
  ],
  ['top-level-invalid-parameter', typed('top', 'invalid_parameter')],
  ['nested-invalid-parameter', typed('nested', 'invalid_parameter')],
  ['type-over-429-503', known([429, 503], NEUTRAL)],
  [
    'type-over-other-status',
    [
      ...known([401, 403, 404, 413, 418, 500, 502], NEUTRAL),
      // Statuses that a router may take for something of their own.
      ...knownInTurn(
        [402, 405, 408, 409, 410, 415, 424, 425, 431, 451, 499, 501, 504, 511, 529],
        NEUTRAL,
      ),
      ...spelled,
    ],
  ],
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
      ...worded(
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
    'wording-in-raw-body',
    [
      ...at([400, 422], 'context length exceeded'),
      ...at([400, 422], '<html><p>Too many tokens for the context</p></html>'),
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
      ...at([400], { message: 'the context is not valid' }),
      ...at([400], { error: { message: 'the length of `stop` is too large' } }),
      ...at([400], { error: { message: { text: NEUTRAL }, type: null } }),
      ...[NEUTRAL, '', '<html></html>'].flatMap((body) => at([400], body)),
    ],
  ],
  [
    'other-422',
    [
      ...at([422], { detail: [{ msg: NEUTRAL }] }),
      ...at([422], { error: 'too many tokens' }),
      ...at([422], { error: { message: 'the window is too large' } }),
      ...[NEUTRAL, ''].flatMap((body) => at([422], body)),
    ],
  ],
  [
    'status-429',
    [
      ...at([429], ''),
      ...at([429], { error: { message: 'busy' } }),
      ...typesOfEngines.flatMap((type) => typedByEngine(429, type)),
    ],
  ],
  [
    'status-503',
    [
      ...at([503], ''),
      ...at([503], { error: { message: 'loading' } }),
      ...at([503], coded()),
      ...typesOfEngines.flatMap((type) => typedByEngine(503, type)),
    ],
  ],
  [
    'status-other',
    at(
      [
        // Not one that asks to go elsewhere: clients of HTTP that follow it meet another answer, or none.
        300,
        401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 414, 415, 416, 418, 421, 423, 424, 425,
        428, 431, 451, 499, 500, 501, 502, 504, 505, 507, 508, 511, 520, 522, 524, 529, 599,
      ],
      { error: { message: NEUTRAL } },
    ),
  ],
  [
    'unknown-type',
    [
      ...unknownTypes,
      ...at([400, 418], coded('server_error')),
      ...at([418, 500], coded()),
      ...typesOfEngines.flatMap((type) => typedByEngine(500, type)),
    ],
  ],
] as const satisfies readonly (readonly [slug: string, errors: readonly GeneratedError[]])[];

/** The row of each status for a body that is no text. */
const rowsOfStatus = [
  [400, 'router.backend-classification.other-400'],
  [422, 'router.backend-classification.other-422'],
  [429, 'router.backend-classification.status-429'],
  [503, 'router.backend-classification.status-503'],
  [500, 'router.backend-classification.status-other'],
] as const;

/** How engines write an error with a message. */
const forms: readonly ((message: string) => unknown)[] = [
  (message) => ({ error: { message, type: 'BadRequestError' } }),
  (message) => ({ message }),
  (message) => ({ error: { type: 'invalid_request_error', message }, message_id: 7 }),
];

/** Lengths and answers with which a raw body is cut; the message of what is tried elsewhere may be lost. */
const cuts = [
  ...[513, 514, 1_024, 65_536, 500_000].map((bytes) => ({ bytes, status: 400, stream: false })),
  { bytes: 1_024, status: 400, stream: true },
  ...[422, 500, 404, 418, 502, 429].map((status) => ({ bytes: 1_024, status, stream: false })),
  { bytes: 1_024, status: 503, stream: true },
];

export default routerSection('backend-classification', (test) => {
  for (const [slug, errors] of rows) {
    const id = `router.backend-classification.${slug}` as const;
    test(`row ${slug}`, { judges: [id], requests: errors.length }, async (t) => {
      for (const [turn, error] of errors.entries()) {
        const judgement = await judgedError(t, error, parametersAt(turn), classifiedAs);
        t.judge(id, judgement);
      }
    });
  }

  /** Any error of a kind, and the requirement that speaks of it most. */
  for (const [name, arbitrary, slug] of [
    ['known types decide', typedError, 'type-over-other-status'],
    ['the wording decides', wordedError, 'wording-any-order-and-case'],
    ['unknown types decide nothing', untypedError, 'unknown-type'],
    ['bodies without a form', formlessError, 'status-other'],
  ] as const) {
    const id = `router.backend-classification.${slug}` as const;
    test(`any error: ${name}`, { judges: [id], requests: 20 }, async (t) => {
      // An error before the first byte of a stream is classified like any other.
      const asked = tuple(arbitrary, boolean(), nat({ max: 4 }).map(parametersAt));
      await t.property(name, asked, async ([error, stream, parameters], judge) =>
        judge(id, await judgedError(t, error, { stream, ...parameters }, classifiedAs)),
      );
    });
  }

  for (const [status, id] of rowsOfStatus) {
    test(
      `a ${status} that is no UTF-8 is classified by its status`,
      { judges: [id] },
      async (t) => {
        const error = { status, body: '' };
        const judgement = await judgedAnswer(
          t,
          respondBytes(status, noText),
          { repeat: false },
          (exchange) => classifiedAs(exchange, error),
        );
        t.judge(id, judgement);
      },
    );
  }

  test(
    'a JSON error is read whatever its engine calls it',
    { judges: ['router.backend-classification.json-whatever-its-label'] },
    async (t) => {
      for (const [type, body] of mislabelled) {
        const headers: [string, string][] = [['Content-Type', type]];
        const judgement = await judgedAnswer(
          t,
          respondText(500, body, { headers }),
          { repeat: false },
          (exchange) => classifiedAs(exchange, { status: 500, body }),
        );
        t.judge('router.backend-classification.json-whatever-its-label', judgement);
      }
    },
  );

  test(
    'a 429 of the engine never comes out as a rate limit',
    { judges: ['router.backend-classification.status-429-not-rate-limit'] },
    async (t) => {
      for (const error of rateLimits) {
        t.judge(
          'router.backend-classification.status-429-not-rate-limit',
          await judgedError(t, error, {}, noRateLimit),
        );
      }
    },
  );

  for (const [name, messages] of [
    ['plain messages', plainText],
    ['messages on context', contextWording],
  ] as const) {
    const id = 'router.backend-classification.message-from-json';
    test(
      `the message of a JSON error is kept: ${name}`,
      { judges: [id], requests: 15 },
      async (t) => {
        for (const [turn, form] of forms.entries()) {
          await t.property(
            `form ${turn}`,
            messages,
            async (message, judge) => {
              const error = { status: 400, body: JSON.stringify(form(message)) };
              const judgement = await judgedError(t, error, {}, (exchange) =>
                messageHolds(exchange, message),
              );
              judge(id, judgement);
            },
            { weight: 0.5 / forms.length },
          );
        }
      },
    );
  }

  /** Raw bodies of a 400, whose code stops the session: no later failure can take the place of its message. */
  for (const [title, arbitrary, slug, check] of [
    ['a short raw body is the message', shortRawText, 'message-from-raw', messageHolds],
    ['a long raw body begins the message', longRawText, 'message-from-raw', messageHolds],
    ['a long raw body is cut', longRawText, 'raw-message-truncated', rawMessageTruncated],
    [
      'the beginning of a long raw body is kept',
      longRawText,
      'raw-message-is-beginning',
      rawMessageIsBeginning,
    ],
    [
      'a long raw body is cut also inside a character',
      straddlingText,
      'raw-message-truncated-multibyte',
      rawMessageTruncated,
    ],
  ] as const) {
    const id = `router.backend-classification.${slug}` as const;
    test(title, { judges: [id], requests: 20 }, async (t) => {
      await t.property(title, arbitrary, async (body, judge) => {
        const judgement = await judgedError(t, { status: 400, body }, {}, (exchange) =>
          check(exchange, body),
        );
        judge(id, judgement);
      });
    });
  }

  test(
    'raw bodies about and far over the limit are cut',
    { judges: ['router.backend-classification.raw-message-truncated'], requests: 18 },
    async (t) => {
      const texts = cuts.map(({ bytes, ...how }) => ({
        ...how,
        body: numberedWords(bytes).slice(0, bytes),
      }));
      const pages = longPages.map((body) => ({ body, status: 400, stream: false }));
      for (const { body, status, stream } of [...texts, ...pages]) {
        const judgement = await judgedError(t, { status, body }, { stream }, (exchange) =>
          rawMessageTruncated(exchange, body),
        );
        t.judge('router.backend-classification.raw-message-truncated', judgement);
      }
    },
  );

  test(
    'what the tables leave open is recorded',
    {
      judges: [
        'router.backend-classification.both-types',
        'router.backend-classification.final-codes',
      ],
    },
    async (t) => {
      const first = 'context_length_exceeded';
      const second = 'invalid_parameter';
      for (const [type, nested] of [
        [first, second],
        [second, first],
      ]) {
        const body = JSON.stringify({ type, error: { type: nested, message: 'no' } });
        const { exchange } = await afterError(t, { status: 400, body });
        const note = `${type} at the top, ${nested} nested: ${outcomeText(exchange)}`;
        t.record('router.backend-classification.both-types', note, exchange);
      }
      for (const status of [429, 500, 503]) {
        const { exchange } = await afterError(t, { status, body: '' });
        const note = `${status}: ${outcomeText(exchange)}`;
        t.record('router.backend-classification.final-codes', note, exchange);
      }
    },
  );
});
