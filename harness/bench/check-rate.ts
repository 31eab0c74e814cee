/** How fast exchanges are judged: the checks that hold for every exchange, on answers of the references. */

import { isComputeTarget } from '../../schemas/compute/target.ts';
import { request } from 'undici';
import { computeUniversal } from '../checks/compute/universal.ts';
import { nothingKnown } from '../checks/router/route.ts';
import { universalRouterCheck } from '../checks/router/universal.ts';
import { exchangeOf, type SeenExchange } from '../cli/library/exchanges.ts';
import { startCompute } from '../reference/compute/start.ts';
import { startScriptedRouter } from '../reference/router/start.ts';
import { parseTarget } from '../contracts/target-file.ts';
import { type Benchmark, whole } from './tables.ts';

const FOR_MS = 700;
const INSTANCES = 400;

export const checkRate: Benchmark = {
  name: 'check-rate',
  measure: async ({ tell }) => {
    tell('judging');
    return [
      {
        title: 'Exchanges judged in a second of CPU',
        columns: ['answer', 'bytes', 'verdicts each', 'exchanges/CPU s', 'items/CPU s'],
        rows: [...(await computeRows()), ...(await routerRows())],
        notes: [
          'Reading the body, the form of every field and how fields hang together are in it.',
        ],
      },
    ];
  },
};

async function computeRows(): Promise<readonly (readonly string[])[]> {
  const reference = await startCompute({ instances: INSTANCES });
  try {
    const { target } = parseTarget(JSON.stringify(reference.target()), 'reference.yaml');
    const bindings = isComputeTarget(target) ? (target.bindings ?? {}) : {};
    const judge = (seen: SeenExchange): number =>
      [...computeUniversal(exchangeOf(seen), { bindings })].length;
    const key = reference.target().keys.primary;
    const [stopped = ''] = reference.target().instances.stopped ?? [];
    const ask = (path: string, method: 'GET' | 'POST' = 'GET'): Promise<SeenExchange> =>
      seenAt('compute', reference.baseUrl, { path, method, key });
    return [
      rate('a page of 200 instances', await ask('/instances?size=200'), judge, 200),
      rate('a page of 50 instances', await ask('/instances?size=50'), judge, 50),
      rate('a page of one instance', await ask('/instances?size=1'), judge, 1),
      rate('a page of 100 presets', await ask('/presets?size=100'), judge, 100),
      rate('the answer to a stop', await ask(`/instances/${stopped}/stop`, 'POST'), judge, 1),
      rate('a refused size', await ask('/instances?size=0'), judge),
    ];
  } finally {
    await reference.close();
  }
}

async function routerRows(): Promise<readonly (readonly string[])[]> {
  const router = await startScriptedRouter();
  try {
    const { secrets } = parseTarget(JSON.stringify(router.target()), 'reference.yaml');
    const key = secrets['client'] ?? '';
    const judge = (seen: SeenExchange): number =>
      [...universalRouterCheck(exchangeOf(seen), nothingKnown)].length;
    const ask = (path: string, body?: object): Promise<SeenExchange> => {
      const method = body === undefined ? 'GET' : 'POST';
      return seenAt('router', router.baseUrl, { path, method, key, body: JSON.stringify(body) });
    };
    const chat = { model: 'scripted-chat', messages: [{ role: 'user', content: 'hello' }] };
    const completions = '/v1/chat/completions';
    return [
      rate('a chat completion', await ask(completions, chat), judge),
      rate('a streamed chat completion', await ask(completions, { ...chat, stream: true }), judge),
      rate('an unknown model', await ask(completions, { ...chat, model: 'nobody' }), judge),
      rate('the model list', await ask('/v1/models'), judge),
    ];
  } finally {
    await router.close();
  }
}

interface Asked {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly key: string;
  readonly body?: string | undefined;
}

async function seenAt(
  contract: SeenExchange['contract'],
  baseUrl: string,
  { path, method, key, body }: Asked,
): Promise<SeenExchange> {
  const url = `${baseUrl}${path}`;
  const answer = await request(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body ?? null,
  });
  return {
    contract,
    baseUrl,
    method,
    url,
    ...(body === undefined ? {} : { requestBody: body }),
    status: answer.statusCode,
    headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const),
    body: new Uint8Array(await answer.body.arrayBuffer()),
  };
}

/** Judges one exchange again and again; each time as if it had just come. */
function rate(
  name: string,
  seen: SeenExchange,
  judge: (seen: SeenExchange) => number,
  items?: number,
): readonly string[] {
  const verdicts = judge(seen);
  if (verdicts === 0) throw new Error(`${name}: nothing was judged`);
  const warmUntil = performance.now() + FOR_MS / 4;
  while (performance.now() < warmUntil) judge(seen);
  const from = performance.now();
  const before = process.cpuUsage();
  let judged = 0;
  while (performance.now() - from < FOR_MS) {
    judge(seen);
    judged += 1;
  }
  const { user, system } = process.cpuUsage(before);
  const perSecond = judged / ((user + system) / 1_000_000);
  return [
    name,
    whole(seen.body?.length),
    whole(verdicts),
    whole(perSecond),
    whole(items === undefined ? undefined : perSecond * items),
  ];
}
