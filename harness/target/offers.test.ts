import { describe, expect, it } from 'vitest';
import { computeNeeds } from '../../schemas/compute/needs.ts';
import type { Need } from '../../schemas/requirement.ts';
import type { NeedName } from '../../schemas/contracts.ts';
import { routerNeeds } from '../../schemas/router/needs.ts';
import { parseTarget } from '../contracts/target-file.ts';
import { missingNeeds, offers, oneBlock } from './offers.ts';

/** Every variable is set, each to a different value. */
const environment = new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => `key-${String(name)}` });
const target = (text: string) => parseTarget(text, 'my.yaml', environment).target;

/** Parts that the line of a need omits because the line of a wider need has them. */
const rest: Readonly<Record<string, string>> = {
  'keys.requestsPerMinute.tokens': 'requestsPerMinute: { key: ${R}, limit: 1,',
  'keys.perModel.declared': 'perModel: { key: ${M}, undeclared: m,',
  'keys.serverless.inputTokensPerMinute': 'serverless: { key: ${S}, model: m,',
  'keys.serverless.outputTokensPerMinute': 'serverless: { key: ${S}, model: m,',
  'keys.serverless.occupancyShare': 'serverless: { key: ${S}, model: m,',
};

const of = {
  compute: { baseUrl: 'https://a.test/v1', first: 'primary: ${KEY}', more: '' },
  router: {
    baseUrl: 'https://a.test',
    first: 'client: ${KEY}',
    more: ', allowlisted: { key: ${ALLOW}, allows: a, denies: b }',
  },
};
const fileOf = (contract: keyof typeof of, keys: string, ...lines: readonly string[]): string =>
  [`contract: ${contract}`, `baseUrl: ${of[contract].baseUrl}`, `keys: { ${keys} }`, ...lines].join(
    '\n',
  );
const computeFile = (...lines: readonly string[]) => fileOf('compute', of.compute.first, ...lines);
const routerFile = (...lines: readonly string[]) => fileOf('router', of.router.first, ...lines);

function withLine(need: string, contract: 'compute' | 'router', line: string): string {
  const whole = line.replace(
    /(?:serverless|perModel|requestsPerMinute): \{/u,
    (begins) => rest[need] ?? begins,
  );
  const { first, more } = of[contract];
  if (!whole.startsWith('keys: {')) return fileOf(contract, first + more, whole);
  const usual = contract === 'compute' ? `${first},` : 'disabled: ${KEY},';
  const own = whole.replace(/^keys: \{(.*)\}$/su, '$1');
  return fileOf(contract, need === 'keys.disabled' ? own : usual + own);
}

function isNeed(name: string): name is NeedName {
  return name in computeNeeds || name in routerNeeds;
}

const names = (needs: object): readonly NeedName[] => Object.keys(needs).filter(isNeed);

describe('a need', () => {
  const lines = (contract: 'compute' | 'router', needs: Readonly<Record<string, Need>>) =>
    names(needs).map((need) => [contract, need, needs[need]?.line ?? ''] as const);
  const all = [...lines('compute', computeNeeds), ...lines('router', routerNeeds)];

  it.each(all)('of %s, %s, is offered by the line that it prints', (contract, need, line) => {
    expect(offers(target(withLine(need, contract, line)), need)).toBe(true);
  });

  it.each(names(computeNeeds))('%s is not offered by the smallest target', (need) => {
    expect(offers(target(computeFile()), need)).toBe(false);
  });

  it.each(names(routerNeeds))('%s is not offered by the smallest router', (need) => {
    const smallest = routerFile().replace('client:', need === 'keys.admin' ? 'removed:' : 'admin:');
    expect(offers(target(smallest), need)).toBe(false);
  });

  it('of consent is not offered by a consent that is refused', () => {
    expect(offers(target(computeFile('consent: { stop: false }')), 'consent.stop')).toBe(false);
  });

  it('of an instance in some state is offered by permission to bring one of our own there', () => {
    const own = (consent: string) =>
      target(
        computeFile(
          `instances: { provision: { command: make } }\nbindings: { terminate: 'POST /instances/{id}/terminate' }\nconsent: { ${consent} }`,
        ),
      );
    expect(offers(own('stop: true'), 'instances.stopped')).toBe(true);
    expect(offers(own('terminate: true'), 'instances.stopped')).toBe(false);
    expect(offers(own('terminate: true'), 'instances.terminated')).toBe(true);
    expect(offers(own('stop: true'), 'instances.terminated')).toBe(false);
  });

  it('is offered by a limit of 0, which means something', () => {
    const file = routerFile('limits: { maxRequestBytes: 0 }');
    expect(offers(target(file), 'limits.maxRequestBytes')).toBe(true);
  });
});

describe('what is missing', () => {
  it('is told once, in order, with what it is for and the line to add', () => {
    const file = target(computeFile('consent: { stop: true }'));
    expect(
      missingNeeds(file, ['consent.stop', 'keys.second', 'consent.terminate', 'keys.second']),
    ).toEqual([
      { need: 'keys.second', ...computeNeeds['keys.second'] },
      { need: 'consent.terminate', ...computeNeeds['consent.terminate'] },
    ]);
  });
});

it('as lines that begin with the same word become one', () => {
  const lines = [
    'consent: { stop: true }',
    'keys: { second: ${KEY_2} }',
    'consent: { terminate: true }',
    'instances: { stopped: [ a-b ] }',
    'bindings: { start: POST /instances/{id}/start }',
  ];
  expect(oneBlock(lines)).toBe(
    [
      'consent:',
      '  stop: true',
      '  terminate: true',
      'keys:',
      '  second: ${KEY_2}',
      'instances:',
      '  stopped:',
      '    - a-b',
      'bindings:',
      '  start: POST /instances/{id}/start',
    ].join('\n'),
  );
});
