/** Reading header lines. Names are compared without case, as RFC 9110 section 5.1 says. */

import type { HeaderLines } from './exchange.ts';

/** Values of every line with this name, in order of arrival, surrounding blanks removed. */
export function headerValues(lines: HeaderLines, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return lines.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value.trim());
}

/** The value of a header, several lines joined by a comma as RFC 9110 section 5.3 allows; undefined when absent. */
export function headerValue(lines: HeaderLines, name: string): string | undefined {
  const values = headerValues(lines, name);
  return values.length === 0 ? undefined : values.join(', ');
}

/** The media type of a body in lower case without parameters; undefined when no `Content-Type` was sent. */
export function mediaType(lines: HeaderLines): string | undefined {
  return headerValue(lines, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}
