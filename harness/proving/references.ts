/** The reference deployment of each contract, as it is served and proved, with the commands that try it. */

import type { ReferenceModule } from '../contract.ts';
import type { ComputeOptions } from '../reference/compute/start.ts';
import { startExercisedCompute, startExercisedRouter } from '../reference/fully-exercised.ts';
import type { RouterOptions } from '../reference/router/start.ts';

/** Milliseconds to the deadline of a proved router: room to fill it before five seconds of a full channel, several at a time. */
const REQUEST_TIMEOUT_MS = 8_000;
/** Milliseconds that requests park: long enough that a refusal without it is told from one that came late, several at a time. */
const PARK_TIMEOUT_MS = 600;

const QUOTAS = ['router/quotas.js', 'router/rules/limits.js'] as const;

export const computeReference: ReferenceModule = {
  start: ({ port = 0, seed }) =>
    startExercisedCompute({ port, ...(seed === undefined ? {} : { seed }) }),
  examples(baseUrl, key) {
    const get = `curl -H 'Authorization: Bearer ${key('primary')}'`;
    return [
      `${get} '${baseUrl}/instances?size=2'`,
      `${get} ${baseUrl}/regions`,
      `${get} '${baseUrl}/presets?region=FR'`,
    ];
  },
  async subjects(make) {
    const [{ computeFaults }, { computeVariants }] = await Promise.all([
      import('../reference/compute/faults/index.ts'),
      import('../reference/compute/variants/index.ts'),
    ]);
    return make(computeFaults, computeVariants, async (options: ComputeOptions) =>
      startExercisedCompute(options),
    );
  },
  mutants: {
    files: /^compute\/(?:(?:operations|pipeline|world)\.js|rules\/[\w-]+\.js)$/u,
    threads: 1,
    further: [],
  },
};

export const routerReference: ReferenceModule = {
  start: ({ port = 0 }) => startExercisedRouter({ port, hasEngineThread: true }),
  examples(baseUrl, key) {
    const chat = '{"model":"scripted-chat","messages":[{"role":"user","content":"hello"}]}';
    return [
      `curl -H 'Authorization: Bearer ${key('client')}' ${baseUrl}/v1/models`,
      `curl -H 'Authorization: Bearer ${key('client')}' ${baseUrl}/v1/chat/completions -H 'Content-Type: application/json' -d '${chat}'`,
      `curl -H 'Authorization: Bearer ${key('admin')}' ${baseUrl}/admin/health`,
    ];
  },
  async subjects(make) {
    const [{ routerFaults }, { routerVariants }] = await Promise.all([
      import('../reference/router/faults/index.ts'),
      import('../reference/router/variants/index.ts'),
    ]);
    return make(routerFaults, routerVariants, async (options: Partial<RouterOptions>) =>
      startExercisedRouter({
        ...options,
        limits: {
          requestTimeoutMs: REQUEST_TIMEOUT_MS,
          parkTimeoutMs: PARK_TIMEOUT_MS,
          ...options.limits,
        },
      }),
    );
  },
  mutants: {
    files:
      /^router\/(?!(?:choices|deployment|running\.test\.support|start)\.js$)(?:rules\/)?[\w-]+\.js$/u,
    threads: 3,
    further: [
      { variant: 'day-ends', files: QUOTAS, titles: /^token-limit-rules › .* next UTC day/u },
      { variant: 'quotas-per-model', files: QUOTAS, titles: /^(?:rate|token)-limit-rules › /u },
    ],
  },
};
