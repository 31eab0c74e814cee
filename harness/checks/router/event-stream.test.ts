import { describe, expect, test } from 'vitest';
import { endMarkers, readEventStream } from './event-stream.ts';

describe('the end marker', () => {
  test.for([
    ['as the last event', 'data: {"a":1}\n\ndata: [DONE]\n\n', 1],
    ['as an event that was not finished', 'data: {"a":1}\n\ndata: [DONE]\n', 1],
    ['without the blank', 'data:[DONE]', 1],
    ['twice', 'data: [DONE]\n\ndata: [DONE]\n\n', 2],
    ['not at all', 'data: {"a":1}\n\n', 0],
    ['as text of a delta', 'data: {"content":"[DONE]"}\n\n', 0],
    ['as text of a delta that was cut off', 'data: {"content":"[DONE]', 0],
    ['only begun', 'data: [DON', 0],
  ] as const)('%s', ([, text, count]) => {
    expect(endMarkers(readEventStream(text))).toBe(count);
  });
});
