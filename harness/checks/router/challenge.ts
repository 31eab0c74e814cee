/** WWW-Authenticate: a Bearer challenge with a realm on every 401. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { type Exchange, headerValues } from '../../exchange/exchange.ts';
import { expectThat } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { mayBeForwarded } from './code-agreement.ts';
import type { RouterKnowledge } from './knowledge.ts';
import { isAdminPath } from './route.ts';

export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By lower-case name, quotes and escapes removed. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = String.raw`[\w!#$%&'*+.^\x60|~-]+`;
const part = new RegExp(
  String.raw`(?<name>${TOKEN})\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>${TOKEN}))|(?<scheme>${TOKEN})(?=\s|,|$)`,
  'gu',
);

/** The challenges of `WWW-Authenticate` lines (RFC 9110 section 11.6.1). */
export function challengesIn(lines: readonly string[]): readonly Challenge[] {
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const match of lines.join(', ').matchAll(part)) {
    const { name, quoted, bare, scheme } = match.groups ?? {};
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    else if (name !== undefined) {
      const value = quoted?.replaceAll(/\\(.)/gu, '$1') ?? bare ?? '';
      found.at(-1)?.parameters.set(name.toLowerCase(), value);
    }
  }
  return found;
}

/** Judges every 401, on whatever path (router#headers/www-authenticate, router#authentication/5/challenge). */
export function* bearerChallenge(
  exchange: Exchange,
  knowledge: RouterKnowledge,
): Generator<UniversalJudgement<RouterRequirementId>> {
  const { response } = exchange;
  if (response?.status !== 401 || mayBeForwarded(exchange, knowledge)) return;
  const lines = headerValues(response.headers, 'www-authenticate');
  const bearer = challengesIn(lines).filter((challenge) => challenge.scheme === 'bearer');
  const actual = lines.length === 0 ? 'no WWW-Authenticate' : lines.join(', ');
  yield {
    requirement: isAdminPath(exchange)
      ? 'router.response-headers.challenge-on-admin-routes'
      : 'router.response-headers.challenge-on-client-routes',
    judgement: expectThat(
      bearer.length > 0,
      'A 401 has no Bearer challenge.',
      { expected: 'WWW-Authenticate: Bearer realm="…"', actual },
      exchange,
    ),
  };
  if (bearer.length === 0) return;
  yield {
    requirement: 'router.authentication.challenge-realm',
    judgement: expectThat(
      bearer.some((challenge) => (challenge.parameters.get('realm') ?? '').trim() !== ''),
      'The Bearer challenge of a 401 names no realm.',
      { expected: 'Bearer realm="…"', actual },
      exchange,
    ),
  };
}
