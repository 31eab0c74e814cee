import { describe, expect, it } from 'vitest';
import { closest } from './known-keys.ts';

const known = ['baseUrl', 'budget', 'free-text', 'keys'];

describe('the closest word', () => {
  it.each([
    ['baseurl', 'baseUrl'],
    ['base_url', 'baseUrl'],
    ['bugdet', 'budget'],
    ['freeText', 'free-text'],
    ['key', 'keys'],
  ])('to %s is %s', (given, meant) => {
    expect(closest(given, known)).toBe(meant);
  });

  it.each(['models', '', 'b'])('to "%s" is none', (given) => {
    expect(closest(given, known)).toBeUndefined();
  });

  it('is none where nothing is known', () => {
    expect(closest('keys', [])).toBeUndefined();
  });
});
