/** Who asks, and by which ids the answer is known. */

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RouterChoices } from '../choices.ts';
import type { Reply } from '../../http/reply.ts';
import type { RequestContext, Route } from '../context.ts';
import type { KeyEntry, ModelEntry } from '../deployment.ts';
import { routeAt } from '../routes.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function identityRules(choices: RouterChoices) {
  return {
    /** The route at a path, whatever the method (endpoints). */
    routeAt(path: string): Route | undefined {
      return routeAt(path);
    },

    /** An answer that is given before anything is looked at; a router that keeps the contract has none. */
    shortcut(_context: RequestContext): Reply | undefined | Promise<Reply | undefined> {
      return undefined;
    },

    /** The id of a request; what the client sent is kept only where that is chosen and a UUID. */
    requestId(headers: IncomingHttpHeaders): string {
      const sent = headers['x-request-id'];
      return choices.requestId === 'echo' && typeof sent === 'string' && UUID.test(sent)
        ? sent
        : randomUUID();
    },

    /** The trace context of an answer, undefined without a span. */
    traceparent(headers: IncomingHttpHeaders): string | undefined {
      if (choices.traceparent === 'never') return undefined;
      const sent = headers['traceparent'];
      const trace = typeof sent === 'string' ? TRACEPARENT.exec(sent)?.[1] : undefined;
      if (choices.traceparent === 'continue' && trace === undefined) return undefined;
      const [own, span] = [randomUUID(), randomUUID()].map((id) => id.replaceAll('-', ''));
      return `00-${trace ?? own}-${span?.slice(-16)}-01`;
    },

    /** The token of a bearer credential; `x-api-key` is never looked at (authentication/1). */
    credential(headers: IncomingHttpHeaders, _context: RequestContext): string | undefined {
      const bearer = choices.schemeCase === 'any' ? /^bearer +(.+)$/i : /^Bearer (.+)$/;
      return bearer.exec(headers.authorization ?? '')?.[1];
    },

    /** Whether a token is this key: raw, not hashed. */
    matches(token: string, key: KeyEntry, _context: RequestContext): boolean {
      return token === key.secret;
    },

    /** Whether a key is still good (authentication/3). */
    accepted(key: KeyEntry, now: number, _context: RequestContext): boolean {
      return key.state === 'active' && (key.expiresAt === undefined || now < key.expiresAt);
    },

    /** Whether a key of this role opens a route that needs that one (authentication/2). */
    opens(key: KeyEntry, role: KeyEntry['role'], _context: RequestContext): boolean {
      return key.role === role;
    },

    /** The challenge of a 401 (authentication/5). */
    challenge(_context: RequestContext): string | undefined {
      return `Bearer realm="${choices.realm}"`;
    },

    /** Whether a key may use a model (authentication/4). */
    mayUse(key: KeyEntry, model: string, _context: RequestContext): boolean {
      return key.allows === undefined || key.allows.includes(model);
    },

    /** Whether a key may see a model in the list and its detail (endpoints/get-model). */
    sees(key: KeyEntry, model: ModelEntry, _context: RequestContext): boolean {
      if (model.hiddenFrom?.includes(key.name)) return false;
      return !choices.listFollowsAllowlist || key.allows === undefined
        ? true
        : key.allows.includes(model.id);
    },
  };
}
