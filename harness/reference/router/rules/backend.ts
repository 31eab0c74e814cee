/** What an engine said: classified on the native route, wrapped on the others. */

import type { IncomingHttpHeaders } from 'node:http';
import type { RouterChoices } from '../choices.ts';
import type { RequestContext } from '../context.ts';
import { errorObject, jsonIn, memberOf } from '../json.ts';

/** Longest message that is taken from a raw body, in bytes. */
const RAW_MESSAGE_BYTES = 512;

const codeOfType: Readonly<Record<string, string>> = {
  context_length_exceeded: 'context_length_exceeded',
  invalid_request_error: 'invalid_parameter',
  invalid_parameter: 'invalid_parameter',
};

export function backendRules(choices: RouterChoices) {
  return {
    /** Whether the agent classifies what an engine says to this path. */
    classifies(path: string, _context: RequestContext): boolean {
      return path === '/v1/chat/completions';
    },

    /** Whether an engine's status is a success. */
    isSuccess(status: number, _context: RequestContext): boolean {
      return status >= 200 && status < 300;
    },

    /** The JSON of an engine's error, however it is written and labelled; undefined when it is none. */
    errorJson(body: Uint8Array, _headers: IncomingHttpHeaders, _context: RequestContext): unknown {
      return jsonIn(body);
    },

    /** The first type that is known, at the top level or under `error`. */
    knownType(json: unknown, _context: RequestContext): string | undefined {
      const named = [memberOf(json, 'type'), memberOf(errorObject(json), 'type')];
      return named
        .filter((type) => typeof type === 'string')
        .find((type) => Object.hasOwn(codeOfType, type));
    },

    /** Whether a text speaks of the context and one of length, window, token, in any case and order. */
    speaksOfContext(text: string, _context: RequestContext): boolean {
      return /context/i.test(text) && /length|window|token/i.test(text);
    },

    /** Code of an engine's error: a known type first, then status and wording. */
    codeOf(
      type: string | undefined,
      status: number,
      speaksOfContext: boolean,
      _context: RequestContext,
    ): string {
      const byType = type === undefined ? undefined : codeOfType[type];
      if (byType !== undefined) return byType;
      if (status === 400 || status === 422)
        return speaksOfContext ? 'context_length_exceeded' : 'invalid_parameter';
      return status === 429 || status === 503 ? 'backend_unavailable' : 'backend_error';
    },

    /** The message in an engine's JSON, if it has one. */
    messageIn(json: unknown, _context: RequestContext): string | undefined {
      const error = memberOf(json, 'error');
      const named = [memberOf(error, 'message'), memberOf(json, 'message'), error];
      return named.filter((message) => typeof message === 'string').find((text) => text !== '');
    },

    /** At most 512 bytes of a raw body as text, cut before a character that straddles the end. */
    truncate(bytes: Uint8Array, _context: RequestContext): string {
      const decoder = new TextDecoder('utf-8');
      const text = decoder.decode(bytes.subarray(0, RAW_MESSAGE_BYTES), { stream: true });
      return withinBytes(text, RAW_MESSAGE_BYTES);
    },

    /** Code and source of a body that already is the router's envelope (transparent-proxy). */
    envelopeIn(
      json: unknown,
      _context: RequestContext,
    ): { code: string; source: 'router' | 'backend' } | undefined {
      const error = errorObject(json);
      const code = memberOf(error, 'code');
      const source = memberOf(error, 'source');
      if (typeof code !== 'string' || typeof memberOf(error, 'message') !== 'string')
        return undefined;
      return source === 'router' || source === 'backend' ? { code, source } : undefined;
    },

    /** Code of a foreign error body on a proxy route, whatever it says. */
    wrapCode(_status: number, _text: string, _context: RequestContext): string {
      return 'backend_error';
    },

    /** Code of an engine whose connection was refused or lost. */
    lostCode(refused: boolean, _context: RequestContext): string {
      return refused ? 'backend_unavailable' : choices.engineLost;
    },
  };
}

/** The longest beginning of a text that has at most so many bytes: broken bytes grow when decoded. */
function withinBytes(text: string, limit: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    kept += character;
  }
  return kept;
}
