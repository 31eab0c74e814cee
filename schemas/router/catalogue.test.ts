import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { routerNeeds } from './needs.ts';
import type { Clause, Requirement } from '../requirement.ts';
import { routerCatalogue } from './catalogue.ts';
import { routerClauses } from './clauses.ts';

const clauses: Readonly<Record<string, Clause>> = routerClauses;
const requirements: readonly Requirement[] = Object.values(routerCatalogue);

describe('the router catalogue', () => {
  test('every clause has a requirement or says why not', () => {
    const judged = new Set(requirements.map((requirement) => requirement.clause));
    const silent = Object.entries(clauses).filter(
      ([anchor, clause]) => clause.excluded === undefined && !judged.has(anchor),
    );
    expect(silent.map(([anchor]) => anchor)).toEqual([]);
  });

  test('only open requirements stand at excluded clauses', () => {
    const wrong = requirements.filter(
      (requirement) =>
        requirement.strength !== 'open' && clauses[requirement.clause]?.excluded !== undefined,
    );
    expect(wrong.map((requirement) => requirement.id)).toEqual([]);
  });

  test('every requirement stands at a clause and needs what the register knows', () => {
    for (const requirement of requirements) {
      expect(clauses).toHaveProperty([requirement.clause]);
      for (const need of requirement.needs ?? []) expect(routerNeeds).toHaveProperty([need]);
    }
  });

  test('statements are sentences, and no two are the same', () => {
    const statements = requirements.map((requirement) => requirement.statement);
    expect(new Set(statements).size).toBe(statements.length);
    for (const statement of statements) expect(statement).toMatch(/^[A-Z].*\.$/);
  });

  test('ids are slugs that tell contract and section', () => {
    for (const [id, requirement] of Object.entries(routerCatalogue)) {
      expect(requirement.id).toBe(id);
      expect(id).toMatch(/^router\.[a-z-]+\.[a-z0-9_-]+$/);
      expect(id.startsWith(`router.${requirement.section}.`)).toBe(true);
    }
  });

  test('ids are frozen', () => {
    const frozen = readFileSync(new URL('ids.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const current = requirements.map((requirement) => requirement.id);
    const gone = frozen.filter((id) => !current.includes(id));
    const fresh = current.filter((id) => !frozen.includes(id));
    expect(
      gone,
      'ids are permanent: bring these back instead of removing or renaming them',
    ).toEqual([]);
    expect(fresh, 'new ids: add these lines to schemas/router/ids.txt').toEqual([]);
  });
});
