/** DSSE envelopes with Ed25519 signatures (https://github.com/secure-systems-lab/dsse, protocol version 1). */

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';

const base64 = z.base64().min(1);

export const envelope = z.object({
  payload: base64,
  payloadType: z.string().min(1),
  signatures: z
    .array(z.object({ keyid: z.string().optional(), sig: base64 }))
    .min(1)
    .readonly(),
});

export type Envelope = z.infer<typeof envelope>;

/** SHA-256 in hex of the public half of a key, in its DER form (SubjectPublicKeyInfo). */
export function keyFingerprint(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(half.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Signs a payload with an Ed25519 private key. */
export function seal(payload: string, payloadType: string, key: KeyObject): Envelope {
  const bytes = Buffer.from(payload);
  return {
    payload: bytes.toString('base64'),
    payloadType,
    signatures: [
      {
        keyid: keyFingerprint(key),
        sig: sign(null, authenticated(payloadType, bytes), key).toString('base64'),
      },
    ],
  };
}

/** The payload, when one of the signatures is by this key; undefined otherwise. The key id is only a hint. */
export function opened(sealed: Envelope, key: KeyObject): Buffer | undefined {
  const payload = Buffer.from(sealed.payload, 'base64');
  const signed = authenticated(sealed.payloadType, payload);
  const byKey = sealed.signatures.some(({ sig }) =>
    verify(null, signed, key, Buffer.from(sig, 'base64')),
  );
  return byKey ? payload : undefined;
}

/** What is signed: type and payload with their lengths, so that neither can be taken for a part of the other. */
function authenticated(type: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
