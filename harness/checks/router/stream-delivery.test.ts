import { describe } from 'vitest';
import {
  sampleError,
  sampleExchange,
  type SampleParts,
  testVerdicts,
  withoutResponse,
} from './sample.test.support.ts';
import {
  brokeOff,
  cameWhileOpen,
  deliveredWhole,
  earlyEnd,
  endsLikeItsEngine,
  jsonError,
  noForgedEnd,
  sameOutput,
  wholeText,
} from './stream-delivery.ts';

const engine = Buffer.from('data: {"t":"ä"}\n\nevent: delta\ndata: 2\n\ndata: [DONE]\n\n');
const cut = Buffer.from('data: {"t":"ä"}\n\ndata: 2');
const first = 'data: {"t":"ä"}\n\n';
const streamed = (body: string, parts: SampleParts = {}) =>
  sampleExchange({
    request: { stream: true },
    headers: [['Content-Type', 'text/event-stream']],
    body,
    ...parts,
  });
const whole = streamed(engine.toString());
const refused = sampleError(502, 'backend_error');
const silent = withoutResponse(sampleExchange());
const left = streamed(first, { ending: 'aborted' });

describe('what the client saw of a stream', () => {
  const framed = ': hi\r\ndata:{"t":"ä"}\r\n\r\ndata: 2\nevent: delta\n\ndata: [DONE]\n\n';
  const unnamed = `${first}data: 2\n\ndata: [DONE]\n\n`;
  const wrote = Buffer.from('data: {"t":"w w"}\n\ndata: {"t":"w"}\n\n');
  const began = (body: string) => sameOutput(streamed(body), cut, 1);
  testVerdicts([
    ['the same, whatever the framing', 'held', sameOutput(streamed(framed), engine)],
    ['less', 'broken', sameOutput(streamed(first), engine), sameOutput(streamed(''), engine)],
    ['another event', 'broken', sameOutput(streamed(unnamed), engine)],
    ['of an engine that sent nothing', 'unseen', sameOutput(streamed(''), Buffer.from(': hi\n\n'))],
    ['all words', 'held', wholeText(streamed('data: {"t":"w"}\n\ndata: w w\n\n'), wrote, 'w')],
    ['too few words', 'broken', wholeText(streamed('data: w w\n\n'), wrote, 'w')],
    ['no word of it sent', 'unseen', wholeText(streamed('data: w\n\n'), wrote, 'other')],
    ['the beginning', 'held', began(first)],
    ['nothing of it, or another', 'broken', began(''), began('data: other\n\n')],
    ['more than its beginning', 'broken', began(`${first}data: 2\n\n`)],
    ['no end of its own', 'held', noForgedEnd(streamed(first), cut)],
    ['the end of its engine', 'held', noForgedEnd(streamed('data: [DONE]\n\n'), engine)],
    ['a forged end', 'broken', noForgedEnd(streamed(`${first}data: [DONE]\n\n`), cut)],
  ]);
});

describe('a stream that the engine ended', () => {
  const short = streamed(engine.toString(), { ending: 'cut-short' });
  testVerdicts([
    ['comes to its end', 'held', deliveredWhole(whole), endsLikeItsEngine(whole, engine)],
    ['does not', 'broken', ...[streamed(''), short, refused].map(deliveredWhole)],
    ['ends with another event', 'broken', endsLikeItsEngine(streamed(first), engine)],
    ['was an error', 'unseen', endsLikeItsEngine(refused, engine)],
    ['nothing came, or we left', 'unseen', deliveredWhole(silent), deliveredWhole(left)],
    ['comes while it is open', 'held', cameWhileOpen(streamed(first), true)],
    ['is held back', 'broken', cameWhileOpen(streamed(first), false)],
    ['never began', 'unseen', cameWhileOpen(refused, false), cameWhileOpen(left, false)],
  ]);
});

describe('an error before a stream', () => {
  const inside = 'data: {"error":{"code":"c","message":"m","source":"router"}}\n\n';
  const page = sampleExchange({ status: 502, body: 'bad gateway' });
  testVerdicts([
    ['is JSON with a status of its own', 'held', jsonError(sampleError(503, 'no_capacity'))],
    ['stands in a stream', 'broken', jsonError(streamed(inside))],
    ['is labelled as one', 'broken', jsonError(streamed(inside, { status: 503 }))],
    ['is no envelope', 'broken', jsonError(page)],
    ['no response', 'unseen', jsonError(silent)],
  ]);
});

describe('a stream that fails', () => {
  const ended = (ending: SampleParts['ending'], status = 200) =>
    streamed('data: 1\n\n', { ...(ending === undefined ? {} : { ending }), status });
  testVerdicts([
    ['ends early', 'held', earlyEnd(ended('reset')), earlyEnd(ended('complete'))],
    ['never ends', 'broken', earlyEnd(ended('timeout'))],
    ['changes its status', 'broken', earlyEnd(ended('complete', 502))],
    ['was left', 'unseen', earlyEnd(ended('aborted'))],
    ['breaks off', 'held', brokeOff(ended('reset'), cut)],
    ['goes on', 'broken', brokeOff(ended('timeout'), cut)],
    ['is no stream, or was left by us', 'unseen', brokeOff(refused, cut), brokeOff(left, cut)],
  ]);
});
