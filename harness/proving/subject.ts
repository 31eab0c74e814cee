/** What is put before the suite to prove it: the reference with a fault, or a conforming variant of it. */

import type { Contract } from '../../schemas/requirement.ts';
import type { ComputeOptions } from '../reference/compute/start.ts';
import { startExercisedCompute, startExercisedRouter } from '../reference/fully-exercised.ts';
import type { RouterOptions } from '../reference/router/start.ts';
import type { PlannedTarget } from '../runner/run-plan.ts';
import { consequences } from './consequences.ts';
import { type Combinable, type CombinableOptions, companies, together } from './company.ts';
import { parseTarget } from '../target/load.ts';
import { revealedKeys } from '../target/keyring.ts';

/** A deployment that runs. */
export interface RunningSubject {
  readonly planned: PlannedTarget;
  close(): Promise<void>;
}

export interface Subject {
  readonly kind: 'fault' | 'variant' | 'unchanged';
  readonly contract: Contract;
  readonly name: string;
  readonly summary: string;
  /** Requirements that the suite must find broken; empty for what conforms. */
  readonly breaks: readonly string[];
  /** Requirements that a whole run may find broken as well, since what is broken comes by there. */
  readonly consequences: readonly string[];
  /** Requirements whose cases come by what is broken; empty where the broken ones have cases of their own. */
  readonly exercisedBy: readonly string[];
  /** Names of the variants or faults that keep company here; empty for everybody else. */
  readonly members: readonly string[];
  readonly start: () => Promise<RunningSubject>;
}

/** Every fault and variant of a contract, each by itself, and the unchanged reference. */
export async function subjectsOf(contract: Contract): Promise<readonly Subject[]> {
  return (await catalogueOf(contract)).alone;
}

/** The variants of a contract in companies: every one is in exactly one of them, or by itself. */
export async function companiesOf(contract: Contract): Promise<readonly Subject[]> {
  return (await catalogueOf(contract)).inCompany;
}

/** Several faults of a contract in one deployment, by name. */
export async function faultsTogether(
  contract: Contract,
  names: readonly string[],
): Promise<Subject> {
  return (await catalogueOf(contract)).faultsTogether(names);
}

interface Catalogue {
  readonly alone: readonly Subject[];
  readonly inCompany: readonly Subject[];
  readonly faultsTogether: (names: readonly string[]) => Subject;
}

const catalogues = new Map<Contract, Promise<Catalogue>>();

/** Made once: every job of a thread looks its subject up. */
async function catalogueOf(contract: Contract): Promise<Catalogue> {
  const made = catalogues.get(contract);
  if (made !== undefined) return made;
  const making = contract === 'compute' ? computeSubjects() : routerSubjects();
  catalogues.set(contract, making);
  return making;
}

async function computeSubjects(): Promise<Catalogue> {
  const [{ computeFaults }, { computeVariants }] = await Promise.all([
    import('../reference/compute/faults/index.ts'),
    import('../reference/compute/variants/index.ts'),
  ]);
  const start = async (options: ComputeOptions): Promise<RunningSubject> => {
    const reference = await startExercisedCompute(options);
    return { planned: planned(reference.target()), close: () => reference.close() };
  };
  return subjects('compute', computeFaults, computeVariants, start);
}

/** Milliseconds to the deadline of a proved router: room to fill it before five seconds of a full channel, several at a time. */
const REQUEST_TIMEOUT_MS = 8_000;
/** Milliseconds that requests park: long enough that a refusal without it is told from one that came late, several at a time. */
const PARK_TIMEOUT_MS = 600;

async function routerSubjects(): Promise<Catalogue> {
  const [{ routerFaults }, { routerVariants }] = await Promise.all([
    import('../reference/router/faults/index.ts'),
    import('../reference/router/variants/index.ts'),
  ]);
  const start = async (options: Partial<RouterOptions>): Promise<RunningSubject> => {
    const router = await startExercisedRouter({
      ...options,
      limits: {
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
        parkTimeoutMs: PARK_TIMEOUT_MS,
        ...options.limits,
      },
    });
    return { planned: planned(router.target()), close: () => router.close() };
  };
  return subjects('router', routerFaults, routerVariants, start);
}

interface FaultOf<Rules> {
  readonly name: string;
  readonly summary: string;
  readonly aims: string;
  readonly besides: readonly string[];
  readonly exercisedBy?: readonly string[];
  readonly patch: (rules: Rules) => Rules;
  readonly clock?: () => () => number;
  readonly instances?: number;
}

interface VariantOf<Options> extends Combinable<Options> {
  readonly summary: string;
  readonly warns?: readonly string[];
}

/** A fault replaces rules through `patch`; a variant is a set of start options. */
function subjects<Rules, Options extends CombinableOptions>(
  contract: Contract,
  faults: readonly FaultOf<Rules>[],
  variants: readonly VariantOf<Options>[],
  start: (
    options:
      | Options
      | {
          readonly patch?: (rules: Rules) => Rules;
          readonly now?: () => number;
          readonly instances?: number;
        },
  ) => Promise<RunningSubject>,
): Catalogue {
  const variant = (members: readonly VariantOf<Options>[], named: readonly string[]): Subject => ({
    kind: 'variant',
    contract,
    name: members.map(({ name }) => name).join(' + '),
    summary: members.map(({ summary }) => summary).join(' '),
    breaks: [],
    consequences: members.flatMap(({ warns }) => warns ?? []),
    exercisedBy: [],
    members: named,
    start: () => start(together(members.map(({ options }) => options()))),
  });
  const broken = (members: readonly FaultOf<Rules>[], named: readonly string[]): Subject => ({
    kind: 'fault',
    contract,
    name: members.map(({ name }) => name).join(' + '),
    summary: members.map(({ summary }) => summary).join(' '),
    breaks: [...new Set(members.flatMap(({ aims, besides }) => [aims, ...besides]))],
    consequences: members.flatMap(({ name }) => consequences()[contract][name] ?? []),
    exercisedBy: [...new Set(members.flatMap(({ exercisedBy }) => exercisedBy ?? []))],
    members: named,
    start: () => {
      const now = members.find(({ clock }) => clock !== undefined)?.clock?.();
      const instances = members.find((one) => one.instances !== undefined)?.instances;
      return start({
        ...(now === undefined ? {} : { now }),
        ...(instances === undefined ? {} : { instances }),
        patch: (rules) => {
          let patched = rules;
          for (const { patch } of members) patched = patch(patched);
          return patched;
        },
      });
    },
  });
  const alone: readonly Subject[] = [
    {
      kind: 'unchanged',
      contract,
      name: `reference-${contract}`,
      summary: 'The reference deployment as it is.',
      breaks: [],
      consequences: [],
      exercisedBy: [],
      members: [],
      start: () => start({}),
    },
    ...faults.map((one) => broken([one], [])),
    ...variants.map((one) => variant([one], [])),
  ];
  return {
    alone,
    inCompany: companies<Options, VariantOf<Options>>(variants).map((members) =>
      variant(members, members.length > 1 ? members.map(({ name }) => name) : []),
    ),
    faultsTogether: (names) =>
      broken(
        faults.filter(({ name }) => names.includes(name)),
        names,
      ),
  };
}

function planned(file: object): PlannedTarget {
  const { target, keys, folder } = parseTarget(JSON.stringify(file), 'proved.yaml');
  return {
    target,
    secrets: revealedKeys(keys),
    folder,
  };
}
