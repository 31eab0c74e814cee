import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyFingerprint, opened, seal } from './model/attestation.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519').publicKey;

describe('an envelope', () => {
  const sealed = seal('hello world', 'http://example.com/HelloWorld', privateKey);
  const [first = { sig: '' }] = sealed.signatures;

  test('is signed over what the protocol gives as its example', () => {
    const signed = Buffer.from('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
    expect(verify(null, signed, publicKey, Buffer.from(first.sig, 'base64'))).toBe(true);
  });

  test('counts bytes and not characters', () => {
    const odd = seal('é', 'ü', privateKey);
    const signed = Buffer.from('DSSEv1 2 ü 2 é');
    const sig = Buffer.from(odd.signatures[0]?.sig ?? '', 'base64');
    expect(verify(null, signed, publicKey, sig)).toBe(true);
  });

  test('opens with the key of the signer alone', () => {
    expect(opened(sealed, publicKey)?.toString()).toBe('hello world');
    expect(opened(sealed, other)).toBeUndefined();
  });

  test('does not open when anything in it was changed', () => {
    const payload = Buffer.from('hello worlD').toString('base64');
    expect(opened({ ...sealed, payload }, publicKey)).toBeUndefined();
    expect(opened({ ...sealed, payloadType: 'text/plain' }, publicKey)).toBeUndefined();
    const sig = Buffer.alloc(64).toString('base64');
    expect(opened({ ...sealed, signatures: [{ sig }] }, publicKey)).toBeUndefined();
  });

  test('opens by any one of its signatures, whatever its key id says', () => {
    const wrong = { sig: Buffer.alloc(64).toString('base64') };
    const signatures = [wrong, { ...first, keyid: 'someone else' }];
    expect(opened({ ...sealed, signatures }, publicKey)?.toString()).toBe('hello world');
  });
});

test('both halves of a key have one fingerprint, and two keys have two', () => {
  expect(keyFingerprint(privateKey)).toBe(keyFingerprint(publicKey));
  expect(keyFingerprint(other)).not.toBe(keyFingerprint(publicKey));
});
