import { assert, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorEnvelope } from '../../schemas/router/envelope.ts';
import { classify } from '../checks/router/classification.ts';
import {
  contextWording,
  longRawText,
  numberedWords,
  plainText,
  shortRawText,
  straddlingText,
} from './texts.ts';
import { formlessError, typedError, untypedError, wordedError } from './engine-errors.ts';
import { foreignError, nearEnvelopes, successBody } from './answers.ts';

const jsonOrNot = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
const LONG = 'context_length_exceeded';
const bytes = (text: string) => Buffer.byteLength(text);

describe('errors of engines', () => {
  test('with a known type have one code, and without one by their status', () => {
    assert(property(typedError, (error) => classify(error).length === 1));
    assert(property(untypedError, (error) => classify(error).length === 1));
  });

  test('with the wording have one code, that of the wording', () => {
    assert(property(wordedError, (error) => classify(error).join('') === LONG));
  });

  test('of any form have a code, and mostly one', () => {
    let certain = 0;
    assert(
      property(formlessError, (error) => {
        const codes = classify(error);
        certain += codes.length === 1 ? 1 : 0;
        return codes.length > 0;
      }),
      { numRuns: 200 },
    );
    expect(certain).toBeGreaterThan(100);
  });

  test('speak of the context only where they shall', () => {
    assert(
      property(tuple(plainText, contextWording), ([plain, worded]) => {
        const code = (message: string) => classify({ status: 400, body: message }).join();
        return code(plain) === 'invalid_parameter' && code(worded) === LONG;
      }),
    );
  });
});

describe('raw text', () => {
  test('is no JSON and does not repeat its beginning', () => {
    for (const arbitrary of [shortRawText, longRawText, straddlingText]) {
      assert(
        property(arbitrary, (text) => {
          expect(() => JSON.parse(text)).toThrow(SyntaxError);
          return text.lastIndexOf(text.slice(0, 12)) === 0;
        }),
      );
    }
  });

  test('is as long as it says', () => {
    assert(property(shortRawText, (text) => bytes(text) <= 200));
    assert(property(longRawText, (text) => bytes(text) > 512));
    assert(property(straddlingText, (text) => bytes(text) > 512));
    expect(bytes(numberedWords(500))).toBeGreaterThanOrEqual(500);
  });
});

describe('answers on proxy routes', () => {
  test('successes are JSON', () => {
    assert(property(successBody, (body) => void JSON.parse(body)));
  });

  test('foreign errors are no envelope, and nearly the envelope is none either', () => {
    const isEnvelope = (body: string) => errorEnvelope.safeParse(jsonOrNot(body)).success;
    assert(property(foreignError, ({ body }) => !isEnvelope(body)));
    expect(nearEnvelopes.filter(isEnvelope)).toEqual([]);
  });
});
