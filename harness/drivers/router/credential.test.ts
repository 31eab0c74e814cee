import { expect, test } from 'vitest';
import { Secret } from '../../target/keys.ts';
import { basicOf } from './credential.ts';

test('a key as Basic credentials is name and password, and stays a secret', () => {
  const basic = basicOf(new Secret('key:client', 'k-1'));
  expect(Buffer.from(basic.reveal(), 'base64').toString()).toBe('k-1:k-1');
  expect(String(basic)).not.toContain(basic.reveal());
});
