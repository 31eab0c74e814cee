import { expect, test } from 'vitest';
import { computeCatalogue } from '../../../schemas/compute/catalogue.ts';
import { codeOfStatus } from '../../../schemas/compute/errors.ts';
import type { Requirement } from '../../../schemas/requirement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import { History } from '../../runner/recorder.ts';
import { computeFolds } from './history.ts';
import { shownBy } from './operation.ts';
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
const resting = { status: 'STOPPED', total_runtime_hours: 3.0001 };

/** Good answers of every kind: together they show everything that is judged on every exchange. */
const answers: readonly Exchange[] = [
  exchangeOf({ body: { data: [listRecord()], pagination } }),
  exchangeOf({ body: { data: [listRecord({ status: 'STOPPED' })], pagination } }),
  {
    ...exchangeOf({ body: { data: [listRecord({ instance_id: FOREIGN })], pagination } }),
    request: { ...exchangeOf().request, credential: 'second' },
  },
  ...[0, 60_000].map((startedAt) => ({
    ...exchangeOf({ body: { data: [listRecord({ ...gone, instance_id: GONE })], pagination } }),
    startedAt,
  })),
  ...[0, 60_000, 120_000].map((startedAt) => ({
    ...exchangeOf({ body: { data: [listRecord(resting)], pagination } }),
    startedAt,
  })),
  exchangeOf({ path: '/regions', body: ['FR', 'UAE', 'US'] }),
  exchangeOf({ path: '/presets', body: { data: [{ price: 1 }], pagination } }),
  exchangeOf({ method: 'POST', path: `/instances/${id}/stop`, body: actionRecord() }),
  exchangeOf({ method: 'POST', path: `/instances/${id}/terminate`, body: actionRecord(gone) }),
  ...[...Object.entries(codeOfStatus), ['409', 'CONFLICT'], ['422', 'VALIDATION_ERROR']].map(
    ([status, code]) =>
      exchangeOf({
        path: '/regions',
        status: Number(status),
        body: { error: { code, message: 'no', request_id: `r-${status}` } },
        headers: [
          ['content-type', 'application/json'],
          ['retry-after', '1'],
        ],
      }),
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

test('good answers break nothing', () => {
  expect(said.filter(({ judgement }) => judgement.violations.length > 0)).toEqual([]);
});

test('every judgement has seen something', () => {
  expect(said.filter(({ judgement }) => judgement.seen === 0)).toEqual([]);
});

test('regions are judged by whoever reads them, without parameters', () => {
  const told = (query: string, body: unknown) =>
    Array.from(computeUniversal(exchangeOf({ path: '/regions', query, body }), { bindings }))
      .filter(({ judgement }) => judgement.violations.length > 0)
      .map(({ requirement }) => requirement);
  expect(told('', ['FR', 'UAE', 'US', 'DE'])).toEqual(['compute.regions.codes-exact']);
  expect(told('', ['FR', 'UAE'])).toEqual(['compute.regions.codes-mentioned']);
  expect(told('size=1', ['FR'])).toEqual([]);
});

test('an exchange without a response says nothing', () => {
  const lost = { ...exchangeOf(), response: undefined, ending: 'unreachable' as const };
  expect([...computeUniversal(lost, { bindings })]).toEqual([]);
});

test('a page of 100,000 items is judged', () => {
  const data = Array.from({ length: 100_000 }, (_, index) => ({ instance_id: String(index) }));
  const broken = [...computeUniversal(exchangeOf({ body: { data, pagination } }), { bindings })];
  expect(
    broken
      .filter(({ judgement }) => judgement.violations.length > 0)
      .map(({ requirement }) => requirement),
  ).toContain('compute.pagination.page-within-size');
});
