/** What stop, terminate and start have in common: the instance that they name, and the note. */

import { type RequestContext, headerValues } from '../context.ts';
import type { Instance } from '../model.ts';
import { invalid, notFound } from '../refusal.ts';

/** Longest reason note. */
const MAX_REASON_NOTE = 10_000;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu;

/** Whether a path part is an id at all. */
export function isInstanceId(text: string): boolean {
  return uuid.test(text);
}

/** The instance that the path names. @throws {Refusal} 404 when there is none that the caller may see. */
export function findInstance(context: RequestContext): Instance {
  const id = context.pathParameters['id'] ?? '';
  if (!context.rules.isInstanceId(id, context)) {
    throw context.choices.malformedId === 400 ? invalid('id must be a UUID.') : notFound();
  }
  const instance = context.world.instance(id);
  if (instance === undefined || !context.rules.visibleTo(instance, context)) throw notFound();
  return instance;
}

/**
 * The note in the body of a stop or terminate.
 * @throws {Refusal} 400 for a body that is no JSON object, or a note that is no text of at most 10000 characters
 */
export function readReasonNote(context: RequestContext): string | undefined {
  const body = context.rules.parseBody(context);
  if (body === undefined) return undefined;
  if (body === null && context.choices.nullNote === 'accept') return undefined;
  if (!isObject(body)) throw invalid('The body must be a JSON object.');
  const extra = Object.keys(body).find((name) => name !== 'reason_note');
  if (extra !== undefined && context.choices.extraMembers === 'refuse') {
    throw invalid(`The body must not have the member ${extra}.`);
  }
  const note = body['reason_note'];
  if (note === undefined || (note === null && context.choices.nullNote === 'accept')) {
    return undefined;
  }
  return context.rules.parseReasonNote(note, context);
}

/** @throws {Refusal} 400 unless it is text of at most 10000 characters. */
export function parseReasonNote(note: unknown, context: RequestContext): string {
  if (typeof note !== 'string') throw invalid('reason_note must be text.');
  if (context.rules.textLength(note, context) > MAX_REASON_NOTE) {
    throw invalid(`reason_note may have ${MAX_REASON_NOTE} characters.`);
  }
  return note;
}

/** The body as JSON; undefined when there is none. @throws {Refusal} 400 for what is no JSON. */
export function parseBody(context: RequestContext): unknown {
  if (context.body.byteLength === 0) return undefined;
  const label = headerValues(context, 'content-type')[0] ?? '';
  if (context.choices.bodyLabel === 'json' && !/^application\/(?:\S+\+)?json\b/iu.test(label)) {
    throw invalid('The body must be labelled as application/json.');
  }
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(context.body),
    );
    return value;
  } catch {
    throw invalid('The body is not JSON.');
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
