/** Reads recordings from disk, one exchange after the other. */

import { messageOf } from '../exchange/exchange.ts';
import { createReadStream, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isHar, readHar } from './har.ts';
import { isForeign, readNdjsonLine } from './ndjson.ts';
import { type EntryReading, UnreadableRecording } from './recording.ts';

/** Bytes of a HAR file, which can only be read as a whole. */
const LARGEST_HAR = 400 * 1024 * 1024;
const BEGINNING = 64 * 1024;

/** The entries of a HAR file or of NDJSON, in order. Throws `UnreadableRecording`, also for a file that is neither. */
export async function* readRecording(file: string): AsyncGenerator<EntryReading> {
  if (await looksLikeHar(file)) {
    yield* readHar(await textOf(file), file);
    return;
  }
  let lines = 0;
  let foreign = 0;
  for await (const line of linesOf(createReadStream(file, 'utf8'))) {
    const reading = readNdjsonLine(line);
    if (reading === undefined) continue;
    lines += 1;
    if ('skipped' in reading && isForeign(reading.skipped)) foreign += 1;
    yield reading;
  }
  if (lines > 0 && foreign === lines) {
    throw new UnreadableRecording(
      `${file} is neither HAR nor NDJSON of exchanges: no line of it is an exchange.`,
    );
  }
}

/** Lines end with a line feed alone: to `node:readline` other characters end one, too, which JSON may hold. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    begun += first;
    for (const next of others) {
      yield begun;
      begun = next;
    }
  }
  yield begun;
}

/** Told by the name, and by the content where the name does not tell. */
async function looksLikeHar(file: string): Promise<boolean> {
  const size = sizeOf(file);
  if (/\.har$/iu.test(file)) {
    if (size <= LARGEST_HAR) return true;
    throw new UnreadableRecording(
      `${file} is larger than ${LARGEST_HAR / 1024 / 1024} MiB, and a HAR file is read as a whole. Record it in parts.`,
    );
  }
  if (/\.(?:ndjson|jsonl)$/iu.test(file) || size > LARGEST_HAR) return false;
  const start = await beginningOf(file);
  if (!/^\uFEFF?\s*\{\s*"(?:log|_|\$)/u.test(start)) return false;
  try {
    return isHar(JSON.parse((await textOf(file)).replace(/^\uFEFF/u, '')));
  } catch (error) {
    if (error instanceof UnreadableRecording) throw error;
    return false;
  }
}

function sizeOf(file: string): number {
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new UnreadableRecording(`${file} is a folder.`);
    return found.size;
  } catch (error) {
    if (error instanceof UnreadableRecording) throw error;
    throw new UnreadableRecording(`${file} cannot be read: ${messageOf(error)}`);
  }
}

async function beginningOf(file: string): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of createReadStream(file, { encoding: 'utf8', end: BEGINNING })) {
    pieces.push(String(piece));
  }
  return pieces.join('');
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UnreadableRecording(`${file} cannot be read: ${messageOf(error)}`);
  }
}
