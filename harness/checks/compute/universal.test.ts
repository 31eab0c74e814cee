import { expect, test } from 'vitest';
import { computeCatalogue } from '../../../schemas/compute/catalogue.ts';
import { codeOfStatus } from '../../../schemas/compute/errors.ts';
import type { Requirement } from '../../../schemas/requirement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { History } from '../universal.ts';
import { testCheck, testVerdicts } from '../verdict.test.support.ts';
import { actionRecord, exchangeOf, listRecord, verdictsOf } from './exchange.test.support.ts';
import { computeFolds } from './history.ts';
import { operationOf, shownBy } from './operation.ts';
import { codesExact, codesMentioned } from './regions.ts';
import { computeUniversal } from './universal.ts';

const requirements: readonly Requirement[] = Object.values(computeCatalogue);
const bindings = {
  terminate: 'POST /instances/{id}/terminate',
  presets: { items: 'data', fields: { price: 'price' } },
  regions: { codes: '$' },
};

const id = String(listRecord()['instance_id']);
const FOREIGN = '7d0c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b22';
const GONE = '1b0c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b33';
const pagination = { next: 'c', size: 50 };
const gone = {
  status: 'TERMINATED',
  terminated_at: '2026-11-20T10:00:00Z',
  termination_reason: 'credit',
};
const longRun = {
  instance_id: '2b0c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b44',
  status: 'RUNNING',
  started_at: '2026-11-20T10:00:00Z',
  hourly_rate: 2,
  current_cost: 20,
  total_cost_incurred: 200,
  total_runtime_hours: 100,
};
const resting = { status: 'STOPPED', total_runtime_hours: 3.0001, total_cost_incurred: 9.0001 };

const listing = (
  change: Readonly<Record<string, unknown>>,
  startedAt = 0,
  next: string | null = 'c',
): Exchange => ({
  ...exchangeOf({ body: { data: [listRecord(change)], pagination: { ...pagination, next } } }),
  startedAt,
});

/** A correct response of every kind: together they show everything that is judged on every exchange. */
const answers: readonly Exchange[] = [
  listing({}),
  listing({ status: 'STOPPED' }),
  {
    ...listing({ instance_id: FOREIGN }),
    request: { ...exchangeOf().request, credential: 'second' },
  },
  ...[0, 60_000].map((at) => listing({ ...gone, instance_id: GONE }, at)),
  ...[0, 60_000, 120_000].map((at) => listing(resting, at, null)),
  listing(longRun, Date.parse('2026-11-20T20:00:00Z')),
  exchangeOf({ path: '/regions', body: ['FR', 'UAE', 'US'] }),
  exchangeOf({ path: '/presets', body: { data: [{ price: 1 }], pagination } }),
  exchangeOf({ method: 'POST', path: `/instances/${id}/stop`, body: actionRecord() }),
  exchangeOf({ method: 'POST', path: `/instances/${id}/terminate`, body: actionRecord(gone) }),
  ...[...Object.entries(codeOfStatus), ['409', 'CONFLICT'], ['422', 'VALIDATION_ERROR']].map(
    ([status, code]) => {
      const answer = exchangeOf({
        path: '/regions',
        status: Number(status),
        body: { error: { code, message: 'no', request_id: `r-${status}` } },
        headers: [
          ['content-type', 'application/json'],
          ['retry-after', '1'],
        ],
      });
      return { ...answer, request: { ...answer.request, credential: undefined } };
    },
  ),
];

const history = new History(computeFolds, (exchange) => shownBy(exchange, bindings));
const said = answers.flatMap((exchange) => [
  ...computeUniversal(exchange, { bindings }),
  ...history.judge(exchange),
]);

test('what the catalogue calls universal is judged on every exchange, and nothing else is', () => {
  const universal = requirements.filter((one) => one.universal === true).map((one) => one.id);
  const judged = new Set<string>(said.map(({ requirement }) => requirement));
  expect([...judged].toSorted()).toEqual(universal.toSorted());
});

test('good answers break nothing, and every judgement has seen something', () => {
  expect(said.filter(({ judgement }) => judgement.violations.length > 0)).toEqual([]);
  expect(said.filter(({ judgement }) => judgement.seen === 0)).toEqual([]);
});

const regionsBroken = (body: unknown, query = '') =>
  verdictsOf(exchangeOf({ path: '/regions', query, body }), { bindings }).broken;

test.for([
  [['FR', 'UAE', 'US', 'DE'], '', ['codes-exact']],
  [['FR', 'UAE'], '', ['codes-mentioned']],
  // The effect of a parameter on the set is open.
  [['FR'], 'size=1', []],
] as const)('regions %j, asked for with "%s", break %j', ([body, query, slugs]) => {
  expect(regionsBroken(body, query)).toEqual(slugs.map((slug) => `regions.${slug}`));
});

const regions = (body: unknown, status = 200) => exchangeOf({ path: '/regions', status, body });
const nested = (depth: number) => regions(`${'['.repeat(depth)}${']'.repeat(depth)}`);

testCheck('codes somewhere in a body', (body: unknown) => codesMentioned(regions(body)), {
  held: [
    ['UAE', 'FR', 'US'],
    { regions: [{ code: 'US' }, { code: 'FR' }, { code: 'UAE', name: 'Emirates' }] },
    { UAE: {}, FR: {}, US: {} },
  ],
  broken: [['UAE', 'FR'], ['uae', 'fr', 'us'], ['UAE, FR, US'], {}],
});

testCheck('codes that are bound', (codes: string) => codesExact(codes.split(' '), regions({})), {
  held: ['US UAE FR'],
  broken: ['US UAE', 'US UAE FR DE', 'US UAE FR FR'],
});

testVerdicts([
  ['codes in a refusal', 'unseen', codesMentioned(regions({}, 500))],
  ['codes in a deep body', 'broken', codesMentioned(nested(400))],
  // A body that is nested too deeply for our parser is not JSON, which another requirement judges.
  ['codes in a body that nests without end', 'unseen', codesMentioned(nested(50_000))],
]);

test('an exchange without a response says nothing', () => {
  const lost = { ...exchangeOf(), response: undefined, ending: 'unreachable' as const };
  expect([...computeUniversal(lost, { bindings })]).toEqual([]);
});

test('a page of 100,000 items is judged', () => {
  const data = Array.from({ length: 100_000 }, (_, index) => ({ instance_id: String(index) }));
  const { broken } = verdictsOf(exchangeOf({ body: { data, pagination } }), { bindings });
  expect(broken).toContain('pagination.page-within-size');
});

test.for([
  ['GET /instances', 'list-instances'],
  ['GET /instances/a-b', 'get-instance a-b'],
  ['POST /instances/a-b/stop', 'stop-instance a-b'],
  ['POST /instances/a-b:destroy', 'terminate-instance a-b'],
  ['PUT /vms/a-b/power-on+now', 'start-instance a-b'],
  ['GET /regions', 'regions'],
  ['GET /presets', 'presets'],
  ['POST /instances', ''],
  ['HEAD /instances', ''],
  ['GET /instances/', ''],
  ['GET /instances/a/b', ''],
  ['GET /instancesX', ''],
  ['DELETE /instances/a', ''],
] as const)('%s is %s', ([line, named]) => {
  const [method = '', path = ''] = line.split(' ');
  const bound = { terminate: 'POST /instances/{id}:destroy', start: 'PUT /vms/{id}/power-on+now' };
  const exchange = exchangeOf({ method, path });
  const { operation, id: of } = operationOf(exchange, bound) ?? {};
  expect([operation, of].filter((part) => part !== undefined).join(' ')).toBe(named);
  // Terminate and start are known only by their bindings.
  const isBound = /^(?:terminate|start)-/u.test(named);
  expect(operationOf(exchange, undefined) === undefined).toBe(named === '' || isBound);
});
