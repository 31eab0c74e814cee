/** What a HAR file says of a body, and how far it can be trusted to be all of it. */

import { type HeaderLines, headerValue, mediaType } from '../exchange/exchange.ts';

export interface HarContent {
  readonly size?: number | undefined;
  readonly text?: string | undefined;
  readonly encoding?: string | undefined;
}

export interface HarBody {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  /** True when the content coding that the headers name is still on it. */
  readonly isCoded: boolean;
}

const nothing: HarBody = { bytes: new Uint8Array(), isWhole: false, isCoded: false };

/**
 * Reads the content of a HAR response. Recorders leave bodies out, cut them, decode them, or all of that, and do not
 * always say so: what is not known to be whole is not taken to be.
 */
export function harBody(
  content: HarContent,
  headers: HeaderLines,
  status: number,
  bodySize: number | undefined,
): HarBody {
  if (status === 204 || status === 304) return { ...nothing, isWhole: true };
  const stated = Number(headerValue(headers, 'content-length') ?? Number.NaN);
  const { text = '', size = -1 } = content;
  if (text === '') {
    // A recorder without bodies looks the same as a server without one, unless it is told apart by the server.
    const isEmpty = stated === 0 || (content.text !== undefined && size === 0 && bodySize === 0);
    return { ...nothing, isWhole: isEmpty };
  }
  const isBase64 = content.encoding?.toLowerCase() === 'base64';
  const bytes = Buffer.from(text, isBase64 ? 'base64' : 'utf8');
  const coding = (headerValue(headers, 'content-encoding') ?? 'identity').toLowerCase();
  const isGzip = coding.includes('gzip') && bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (coding !== 'identity' && isBase64 && !isGzip && !isText(bytes)) return { ...nothing, bytes };
  const wanted = size > 0 ? size : coding === 'identity' && !isBase64 ? stated : Number.NaN;
  const isWhole = Number.isNaN(wanted) ? provesItself(bytes, headers) : bytes.length >= wanted;
  return { bytes, isWhole, isCoded: isGzip };
}

/** JSON that reads to its end has lost nothing. */
function provesItself(bytes: Uint8Array, headers: HeaderLines): boolean {
  if (mediaType(headers)?.includes('json') !== true) return false;
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
