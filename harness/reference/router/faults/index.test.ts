/** What holds for every fault, whatever it breaks. */

import { describe, expect, test } from 'vitest';
import { defaultChoices } from '../choices.ts';
import { conformingRules } from '../rules/rules.ts';
import { routerFaults } from './index.ts';

test('names are slugs, and each is there once', () => {
  const names = routerFaults.map(({ name }) => name);
  expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(name))).toEqual([]);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

describe('each fault', () => {
  test.for(routerFaults)('$name', ({ aims, besides, patch, summary }) => {
    const breaks = [aims, ...besides];
    expect(summary).toMatch(/^[A-Z].*\.$/u);
    expect(new Set(breaks).size).toBe(breaks.length);
    for (const id of breaks) expect(id).toMatch(/^router\.[a-z-]+\.[a-z0-9_-]+$/u);
    const rules = conformingRules(defaultChoices);
    const before = new Map(Object.entries(rules));
    const after = new Map(Object.entries(patch(rules)));
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect([...after].some(([rule, decide]) => before.get(rule) !== decide)).toBe(true);
    // The conforming rules themselves stay as they are, for the deployments that start beside this one.
    expect(new Map(Object.entries(rules))).toEqual(before);
  });
});
