import { computeTraffic } from './compute.ts';
import { routerTraffic } from './router.ts';
import { describe, expect, test } from 'vitest';
import {
  exchangeOf,
  listRecord,
  type MadeExchange,
} from '../checks/compute/exchange.test.support.ts';
import {
  SAMPLE_ID,
  sampleExchange,
  type SampleParts,
} from '../checks/router/sample.test.support.ts';
import { parseTarget } from '../contracts/target-file.ts';
import { TrafficJudge } from './traffic-judge.ts';
import type { JudgeOptions } from './followers.ts';

const compute = {
  contract: 'compute',
  baseUrl: 'http://127.0.0.1/v1',
  keys: { primary: 'some-key' },
};
const router = { contract: 'router', baseUrl: 'http://127.0.0.1', keys: { client: 'some-key' } };

function judgeOf(file: object, source: JudgeOptions['source'] = 'proxy'): TrafficJudge {
  const { target } = parseTarget(JSON.stringify(file), 'target.yaml');
  const options = { planned: { target, secrets: {} }, source, exclusive: false };
  return new TrafficJudge(options, file === compute ? computeTraffic : routerTraffic);
}

/** Ids of the broken and of the observed requirements. */
function verdictOf(judge: TrafficJudge): {
  readonly broken: readonly string[];
  readonly seen: readonly string[];
} {
  const { requirements } = judge.view();
  return {
    broken: requirements.filter(({ violations }) => violations > 0).map((one) => one.requirement),
    seen: requirements.map(({ requirement }) => requirement),
  };
}

const page = { data: [listRecord()], pagination: { next: null, size: 50 } };

function afterCompute(made: MadeExchange, source?: JudgeOptions['source']) {
  const judge = judgeOf(compute, source);
  const requestHeaders = [['Authorization', 'Bearer some-key']] as const;
  judge.take({ ...exchangeOf({ requestHeaders, body: page, ...made }), startedAt: 1_000 });
  return { judge, ...verdictOf(judge) };
}

function afterRouter(parts: SampleParts, source?: JudgeOptions['source']) {
  const judge = judgeOf(router, source);
  judge.take(
    sampleExchange({
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Request-ID', SAMPLE_ID],
      ],
      requestHeaders: [['Authorization', 'Bearer some-key']],
      startedAt: 1_000,
      ...parts,
    }),
  );
  return verdictOf(judge);
}

describe('traffic of a compute deployment', () => {
  test('that keeps the contract shows no violation', () => {
    const { broken, seen } = afterCompute({});
    expect(broken).toEqual([]);
    expect(seen).toContain('compute.pagination.walk-ends');
  });

  test('that breaks it is found', () => {
    expect(afterCompute({ status: 404, body: { message: 'no' } }).broken).toEqual([
      'compute.errors.envelope',
    ]);
  });

  test('of which a body was cut off by its client, or too large, is judged by its head', () => {
    const cut = { body: '{"data":[', status: 500 };
    expect(afterCompute({ ...cut, ending: 'aborted' }).seen).toEqual([]);
    const { judge, seen } = afterCompute({ ...cut, ending: 'too-large' });
    expect(seen).toEqual([]);
    expect(judge.view().headOnly).toBe(1);
  });

  test.for([
    ['a coding that is not known', 200, [['Content-Encoding', 'zstd']]],
    ['a coding that is not what it says', 200, [['Content-Encoding', 'gzip']]],
    ['a part of the body', 206, []],
  ] as const)('for which the client asked for %s is judged by its head', ([, status, more]) => {
    const headers = [['Content-Type', 'application/json'], ...more] as const;
    const { judge, broken } = afterCompute({ status, headers, body: 'x\u0001' });
    expect(broken).toEqual([]);
    expect(judge.view().headOnly).toBe(1);
  });

  test('that a web server refused before the service saw it is not judged', () => {
    const refused = {
      status: 400,
      body: 'Bad Request',
      headers: [['Content-Type', 'text/plain']] as const,
    };
    expect(afterCompute({ ...refused, path: '/instances/%zz' }).broken).toEqual([]);
    expect(afterCompute({ ...refused, path: '/instances/fine' }).broken).toEqual([]);
    const instance = `/instances/${crypto.randomUUID()}`;
    expect(afterCompute({ ...refused, path: instance }).broken).not.toEqual([]);
  });

  test('elsewhere than below the base URL is not judged', () => {
    const { judge, seen } = afterCompute({ path: 'health', status: 500, body: 'no envelope' });
    expect(seen).toEqual([]);
    expect(judge.view()).toMatchObject({ elsewhere: 1, judged: 0 });
  });

  test('without a key is held against the deployment when it passed, and not when it was recorded', () => {
    const bare = { requestHeaders: [] };
    expect(afterCompute(bare).broken).toEqual(['compute.authentication.header-missing']);
    expect(afterCompute(bare, 'recording').broken).toEqual([]);
  });

  test('says of everything else why it was not seen', () => {
    const { gaps } = afterCompute({}).judge.outcome();
    const reasonOf = (id: string) => gaps.find(({ requirement }) => requirement === id);
    expect(reasonOf('compute.errors.envelope')?.reason).toBe('the traffic did not show it');
    expect(reasonOf('compute.pagination.walk-prime')?.reason).toMatch(/plumbline run provokes it/u);
    expect(reasonOf('compute.terminate-instance.response-is-instance')?.line).toMatch(
      /terminate:/u,
    );
    expect(reasonOf('compute.list-instances.data-array')).toBeUndefined();
  });
});

describe('traffic of a router', () => {
  const failure = (code: string, source: string) => ({ error: { code, message: 'm', source } });

  test('that breaks the contract is found', () => {
    expect(afterRouter({ headers: [['Content-Type', 'application/json']] }).broken).toEqual([
      'router.response-headers.request-id-on-success',
    ]);
    expect(afterRouter({ status: 500, body: failure('no_such_code', 'router') }).broken).toEqual([
      'router.codes.known-codes',
    ]);
  });

  test('on a proxy route may hold an envelope that an engine sent', () => {
    const forwarded = {
      path: '/v1/messages',
      status: 400,
      body: failure('no_such_code', 'router'),
    };
    expect(afterRouter(forwarded).broken).toEqual([]);
  });

  test('on a proxy route is refused by the router itself', () => {
    const refused = {
      path: '/v1/messages',
      status: 401,
      body: failure('unauthorized', 'backend'),
    };
    expect(afterRouter(refused).broken).toContain('router.authentication.refusal-source');
  });

  test('beside its routes says nothing of them', () => {
    for (const path of ['/favicon.ico', '/', '/metrics', '/v1x/models']) {
      expect(afterRouter({ path, headers: [], status: 404, body: 'nothing' }).seen).toEqual([]);
    }
  });

  test('tells missing keys from false ones when it breaks the contract', () => {
    const judge = judgeOf(router);
    const refusal = (requestHeaders: SampleParts['requestHeaders'], message: string) =>
      sampleExchange({
        method: 'GET',
        path: '/v1/models',
        ...(requestHeaders === undefined ? {} : { requestHeaders }),
        status: 401,
        startedAt: 1_000,
        headers: [
          ['Content-Type', 'application/json'],
          ['X-Request-ID', crypto.randomUUID()],
          ['WWW-Authenticate', 'Bearer realm="router"'],
        ],
        body: { error: { code: 'unauthorized', message, source: 'router' } },
      });
    judge.take(refusal([], 'no key'));
    judge.take(refusal([['Authorization', 'Bearer nobody']], 'unknown key'));
    expect(verdictOf(judge).broken).toEqual([
      'router.authentication.refusal-message',
      'router.authentication.refusal-same-body',
    ]);
    expect(verdictOf(judge).seen).toContain('router.authentication.refusal-same-challenge');
  });
});

test('a mistake of ours is an error of the observation, and ends nothing', () => {
  const judge = judgeOf(compute);
  const broken = exchangeOf({ body: page });
  judge.take({
    ...broken,
    request: {
      ...broken.request,
      get headers(): never {
        throw new Error('ours');
      },
    },
  });
  judge.take(exchangeOf({ body: page }));
  expect(judge.outcome().errors).toMatchObject([{ message: 'ours' }]);
  expect(judge.view().judged).toBe(1);
});
