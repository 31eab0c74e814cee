/** Backend error classification: what of an engine's error becomes the message. */

import { messageHolds } from '../../harness/checks/router/classified.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import {
  rawMessageIsBeginning,
  rawMessageTruncated,
} from '../../harness/checks/router/raw-message.ts';
import { respondText } from '../../harness/backend/behaviours.ts';
import { contextWording } from '../../harness/generate/context-wording.ts';
import { plainText } from '../../harness/generate/plain-text.ts';
import {
  longRawText,
  numberedWords,
  shortRawText,
  straddlingText,
} from '../../harness/generate/raw-text.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';

/** How engines write an error with a message. */
const forms: readonly ((message: string) => unknown)[] = [
  (message) => ({ error: { message, type: 'BadRequestError' } }),
  (message) => ({ message }),
  (message) => ({ error: { type: 'invalid_request_error', message }, message_id: 7 }),
];

/** A 400 unless told, whose code stops the session: no later failure can take the place of its message. */
async function refusedBy(t: RouterContext, body: string, { stream = false, status = 400 } = {}) {
  return provoke(t, respondText(status, body), { stream, repeat: false });
}

export default routerSection('backend-classification', (test) => {
  for (const [name, messages] of [
    ['plain messages', plainText],
    ['messages on context', contextWording],
  ] as const) {
    test(
      `the message of a JSON error is kept: ${name}`,
      { judges: ['router.backend-classification.message-from-json'], requests: 15 },
      async (t) => {
        const weight = 0.5 / forms.length;
        for (const [at, form] of forms.entries()) {
          await t.property(
            `form ${at}`,
            messages,
            async (message, judge) => {
              const { exchange, hits } = await refusedBy(t, JSON.stringify(form(message)));
              judge(
                'router.backend-classification.message-from-json',
                whenReached(hits, () => messageHolds(exchange, message)),
              );
            },
            { weight },
          );
        }
      },
    );
  }

  /** Generated raw bodies, and the requirements that each length shows. */
  const cases = [
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
  ] as const;
  for (const [title, arbitrary, slug, check] of cases) {
    const id = `router.backend-classification.${slug}` as const;
    test(title, { judges: [id], requests: 20 }, async (t) => {
      await t.property(title, arbitrary, async (raw, judge) => {
        const { exchange, hits } = await refusedBy(t, raw);
        judge(
          id,
          whenReached(hits, () => check(exchange, raw)),
        );
      });
    });
  }

  test(
    'raw bodies about and far over the limit are cut',
    { judges: ['router.backend-classification.raw-message-truncated'], requests: 18 },
    async (t) => {
      for (const [bytes, how] of [
        [513, {}],
        [514, {}],
        [1_024, {}],
        [1_024, { stream: true }],
        [65_536, {}],
        [500_000, {}],
        [1_024, { status: 422 }],
        // The message of what is tried elsewhere may be lost, and then shows nothing.
        [1_024, { status: 500 }],
        [1_024, { status: 404 }],
        [1_024, { status: 418 }],
        [1_024, { status: 502 }],
        [1_024, { status: 429 }],
        [1_024, { status: 503, stream: true }],
      ] as const) {
        const raw = numberedWords(bytes).slice(0, bytes);
        const { exchange, hits } = await refusedBy(t, raw, how);
        t.judge(
          'router.backend-classification.raw-message-truncated',
          whenReached(hits, () => rawMessageTruncated(exchange, raw)),
        );
      }
      const words = numberedWords(2_000);
      const pages = [
        `<!doctype html><title>400</title><pre>${words}</pre>`,
        `Traceback:\n${words.replaceAll(' ', '\n')}`,
        // Cut in the middle, so that it is JSON no more.
        `[{"failed": [${JSON.stringify(words)}, `,
        // Whole, and without a text that could be its message.
        JSON.stringify({ failed: Array.from({ length: 400 }, (_, at) => 1_000 + at) }),
      ];
      for (const page of pages) {
        const { exchange, hits } = await refusedBy(t, page);
        t.judge(
          'router.backend-classification.raw-message-truncated',
          whenReached(hits, () => rawMessageTruncated(exchange, page)),
        );
      }
    },
  );
});
