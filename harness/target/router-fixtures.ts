/** The keys, agents, models and limits of a fully exercisable router, in product-neutral terms, and its target file. */

/** The choices of the person who sets up the router. */
export interface FixtureAnswers {
  readonly baseUrl: string;
  /** Two `host:port` addresses of the scripted engine, to distinguish agents. */
  readonly engines: readonly [string, string];
  /** URL of the engine's control port. */
  readonly control: string;
  readonly prefix: string;
  readonly replicas: number;
}

export interface KeyFixture {
  readonly role: string;
  readonly name: string;
  /** A different owner for each key, so that a limit per owner is a limit per key. */
  readonly owner: string;
  /** Environment variable of the target file that holds the secret. */
  readonly secretFrom: string;
  readonly state: 'active' | 'expired' | 'disabled' | 'removed';
  readonly may: 'client' | 'admin';
  readonly allows?: readonly string[];
  readonly requestsPerMinutePerReplica?: number;
  readonly tokensPerDay?: number;
  /** An entry with 0 declares a model without limiting it. */
  readonly perModel?: Readonly<Record<string, { requestsPerMinutePerReplica: 0; tokensPerDay: 0 }>>;
}

export interface AgentFixture {
  readonly name: string;
  /** Base URL of its engine; nothing listens at that of `dead`. */
  readonly engine: string;
  readonly capacity: number;
  readonly state: 'ready' | 'draining' | 'unreachable';
}

export interface ModelFixture {
  readonly role: string;
  readonly id: string;
  readonly serves: 'chat' | 'embeddings' | 'rerank';
  readonly steps: readonly { readonly agents: readonly string[]; readonly maxTries: number }[];
  /** Number of requests that may wait for a slot of the model. */
  readonly queue: number;
  readonly provider?: string;
  readonly hiddenFromKeys?: readonly string[];
  readonly maxInputTokens?: number;
  readonly imagesMax?: number;
  readonly maxInflight?: number;
  readonly occupancyTokens?: number;
  /** `always`: any pressure exceeds the threshold; `never`: no pressure reaches it. */
  readonly sheds?: 'always' | 'never';
  readonly serverless?: typeof SERVERLESS;
}

/**
 * Limits that depend on each other. The deadline is longer than filling the channel and its five seconds of being full.
 * The park timeout is longer than a response takes and far shorter than the deadline. The router fills before a plain
 * agent does. The channel has room for those that wait there until their deadline beside those at their deadline at engines.
 */
const LIMITS = {
  maxRequestBytes: 262_144,
  requestTimeoutMs: 8_000,
  parkTimeoutMs: 250,
  queueSize: 32,
  maxConcurrent: 32,
} as const;
const PLAIN_CAPACITY = 2 * (LIMITS.maxConcurrent + LIMITS.queueSize);
const MAX_TRIES = 2;

/** Many requests fail on purpose, and the suite waits each time until the failed agent is eligible again. */
const FLEET = { healthCheckEveryMs: 1_000, leftOutAfterFailureMs: 500 } as const;

/** Small enough to exhaust, and fast enough to watch the bucket refill. */
const REQUESTS_PER_MINUTE = 120;
const TOKENS_PER_DAY = 2_000;
/** A run spends ten of them. */
const DAILY_KEYS = 16;
const CAPS = { maxInputTokens: 4_000, imagesMax: 2 } as const;
const OCCUPANCY_TOKENS = 1_000;
/** The input rate is more than eight times the share, so that a client reaches the share first. */
const SERVERLESS = {
  inputTokensPerMinute: 40_000,
  outputTokensPerMinute: 1_200,
  occupancyShare: 4_000,
} as const;

/** An address at which nothing listens. */
const CLOSED = 'http://127.0.0.1:9';

/** All fixtures; their names start with the prefix. */
export function routerFixtures(answers: FixtureAnswers) {
  const { prefix, engines, control, replicas } = answers;
  const listen = engines.map((address) => `--listen ${address}`).join(' ');
  return {
    engine: {
      command: `plumbline backend ${listen} --control ${new URL(control).host}`,
      addresses: engines.map((address) => `http://${address}`),
    },
    limits: { ...LIMITS, replicas },
    fleet: FLEET,
    keys: keyFixtures(prefix),
    agents: agentFixtures(answers),
    models: modelFixtures(answers),
  };
}

function keyFixtures(prefix: string): readonly KeyFixture[] {
  const key = (role: string, more: Partial<KeyFixture> = {}): KeyFixture => {
    const name = `${prefix}${kebab(role)}`;
    const secretFrom = name.toUpperCase().replaceAll(/\W/gu, '_');
    return {
      role,
      name,
      owner: `${name}-owner`,
      secretFrom,
      state: 'active',
      may: 'client',
      ...more,
    };
  };
  const unlimited = { requestsPerMinutePerReplica: 0, tokensPerDay: 0 } as const;
  return [
    key('client'),
    key('second'),
    key('unlimited'),
    key('admin', { may: 'admin' }),
    key('expired', { state: 'expired' }),
    key('disabled', { state: 'disabled' }),
    key('removed', { state: 'removed' }),
    key('allowlisted', { allows: [`${prefix}chat`] }),
    key('requestsPerMinute', { requestsPerMinutePerReplica: REQUESTS_PER_MINUTE }),
    ...Array.from({ length: DAILY_KEYS }, (_, index) =>
      key(`tokensPerDay-${index + 1}`, { tokensPerDay: TOKENS_PER_DAY }),
    ),
    key('perModel', { perModel: { [`${prefix}chat`]: unlimited } }),
    key('serverless'),
  ];
}

function kebab(role: string): string {
  return role.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

function agentFixtures({ prefix, engines }: FixtureAnswers): readonly AgentFixture[] {
  const [first, second] = engines.map((address) => `http://${address}`);
  const agent = (name: string, more: Partial<AgentFixture> = {}): AgentFixture => ({
    name: `${prefix}${name}`,
    engine: first ?? CLOSED,
    capacity: PLAIN_CAPACITY,
    state: 'ready',
    ...more,
  });
  return [
    agent('north'),
    agent('south', { engine: second ?? CLOSED }),
    // Its engine seldom fails, so the router does not exclude this agent while limits are tested.
    agent('west'),
    agent('slot', { capacity: 1 }),
    agent('narrow', { capacity: 1 }),
    agent('dead', { engine: CLOSED }),
    agent('draining', { state: 'draining' }),
    agent('gone', { state: 'unreachable' }),
  ];
}

function modelFixtures({ prefix, engines }: FixtureAnswers): readonly ModelFixture[] {
  const model = (
    role: string,
    steps: readonly (readonly string[])[],
    more: Partial<ModelFixture> & { readonly tries?: number } = {},
  ): ModelFixture => {
    const { tries = MAX_TRIES, ...others } = more;
    return {
      role,
      id: `${prefix}${kebab(role)}`,
      serves: 'chat',
      steps: steps.map((names) => ({
        agents: names.map((name) => `${prefix}${name}`),
        maxTries: tries,
      })),
      queue: LIMITS.queueSize,
      ...others,
    };
  };
  return [
    model('chat', [['north']]),
    model('embedding', [['north']], { serves: 'embeddings' }),
    model('reranker', [['north']], { serves: 'rerank' }),
    model('pair', [['north', 'south']]),
    model('fallback', [['draining'], ['north']]),
    model('bounded', [['north', 'south']], { tries: 1 }),
    model('overflow', [['narrow'], ['south']], { queue: 0, tries: 1 }),
    model('provider', [['north']], { provider: `http://${engines[1]}` }),
    model('hidden', [['north']], { hiddenFromKeys: [`${prefix}allowlisted`] }),
    model('capped', [['west']], CAPS),
    model('maxInflight', [['west']], { maxInflight: 1 }),
    model('occupancy', [['west']], { occupancyTokens: OCCUPANCY_TOKENS }),
    model('singleSlot', [['slot']], { queue: 0 }),
    model('shed', [['south']], { sheds: 'always' }),
    model('calm', [['south']], { sheds: 'never' }),
    model('serverless', [['west']], { serverless: SERVERLESS }),
    model('deadBackend', [['dead']]),
    model('noAgents', [['draining']]),
    model('agentGone', [['gone']]),
  ];
}

/** The target file of a router with these fixtures. */
export function targetOfFixtures(answers: FixtureAnswers): object {
  const { keys, models, limits } = routerFixtures(answers);
  const secret = (role: string): string =>
    `\${${keys.find((one) => one.role === role)?.secretFrom ?? role}}`;
  const idOf = (role: string): string => models.find((one) => one.role === role)?.id ?? role;
  const plain = ['client', 'second', 'unlimited', 'admin', 'expired', 'disabled', 'removed'];
  const named = ['chat', 'embedding', 'reranker', 'pair', 'fallback', 'provider', 'shed', 'calm'];
  const unserved = ['deadBackend', 'noAgents', 'agentGone'];
  return {
    contract: 'router',
    baseUrl: answers.baseUrl,
    keys: {
      ...Object.fromEntries(plain.map((role) => [role, secret(role)])),
      allowlisted: { key: secret('allowlisted'), allows: idOf('chat'), denies: idOf('pair') },
      requestsPerMinute: {
        key: secret('requestsPerMinute'),
        limit: REQUESTS_PER_MINUTE * answers.replicas,
        tokens: 'unlimited',
      },
      tokensPerDay: keys
        .filter(({ tokensPerDay }) => tokensPerDay !== undefined)
        .map(({ role, tokensPerDay }) => ({ key: secret(role), limit: tokensPerDay })),
      perModel: { key: secret('perModel'), undeclared: idOf('pair'), declared: idOf('chat') },
      serverless: { key: secret('serverless'), model: idOf('serverless'), ...SERVERLESS },
    },
    models: {
      ...Object.fromEntries([...named, ...unserved].map((role) => [role, idOf(role)])),
      bounded: { id: idOf('bounded'), maxTries: 1 },
      overflow: { id: idOf('overflow'), capacity: 1 },
      hidden: { id: idOf('hidden'), from: 'allowlisted' },
      capped: { id: idOf('capped'), ...CAPS },
      maxInflight: { id: idOf('maxInflight'), limit: 1 },
      occupancy: { id: idOf('occupancy'), budgetTokens: OCCUPANCY_TOKENS },
      singleSlot: { id: idOf('singleSlot'), capacity: 1 },
    },
    limits: { ...limits, maxTries: MAX_TRIES },
    backend: { control: answers.control },
    consent: { saturate: true },
  };
}
