/** SSH keys: the contract names them and shows nothing of them, so all of this is this deployment's choice. */

import { randomUUID } from 'node:crypto';
import { type Answer, type RequestContext, callerOf } from '../context.ts';
import type { SshKey } from '../model.ts';
import { invalid, notFound } from '../refusal.ts';

/** GET /ssh-keys */
export function listSshKeys(context: RequestContext): Answer {
  const keys = [...callerOf(context).sshKeys.values()];
  return { status: 200, headers: [], json: { data: keys.map(shown) } };
}

/** POST /ssh-keys with `{name, public_key}` */
export function addSshKey(context: RequestContext): Answer {
  const body = context.rules.parseBody(context);
  const fields: Partial<Record<string, unknown>> =
    typeof body === 'object' && body !== null ? { ...body } : {};
  const { name, public_key: publicKey } = fields;
  if (typeof name !== 'string' || typeof publicKey !== 'string') {
    throw invalid('An SSH key needs a name and a public_key.');
  }
  const key = { id: randomUUID(), name, publicKey };
  callerOf(context).sshKeys.set(key.id, key);
  return { status: 201, headers: [], json: shown(key) };
}

/** DELETE /ssh-keys/{id} */
export function removeSshKey(context: RequestContext): Answer {
  const removed = callerOf(context).sshKeys.delete(context.pathParameters['id'] ?? '');
  if (!removed) throw notFound();
  return { status: 204, headers: [], json: undefined };
}

function shown({ id, name, publicKey }: SshKey): unknown {
  return { id, name, public_key: publicKey };
}
