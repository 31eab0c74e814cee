/** Checks the keys and instances of a compute target file: are they what their role says? */

import type { ComputeTarget, Provision } from '../../../schemas/compute/target.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { ComputeApi } from '../compute/api.ts';
import { idsIn, showsData } from '../discovery/members.ts';
import { observe, observeInList } from '../compute/instances.ts';
import { missingProgram } from '../compute/provision.ts';
import { checkComputeBindings } from './compute-bindings.ts';
import {
  type Checkup,
  type CheckResult,
  fits,
  mismatch,
  noAccess,
  type ReportResult,
  tell,
  untried,
} from './lines.ts';

/** Reports a line for the role of each accepted key, each binding and each instance of the file. */
export async function checkCompute(
  { target, connection, accepted, folder }: Checkup<ComputeTarget>,
  report: ReportResult,
): Promise<void> {
  const api = new ComputeApi(connection.httpClient, () => {}, {});
  const owned = new Map<string, readonly string[]>();
  for (const as of accepted) {
    await tell(report, `keys.${as}`, async () => {
      const exchange = await api.list({ size: 200 }, { as });
      const ids = showsData(exchange) ? idsIn(exchange, 'instance_id') : undefined;
      if (ids !== undefined) owned.set(as, ids);
      return ids === undefined ? unlisted(exchange) : roleResult(as, ids, owned);
    });
  }
  if (target.keys.forbidden !== undefined) {
    await tell(report, 'keys.forbidden', async () => forbidden(api));
  }
  if (!accepted.includes('primary')) return;
  const some = owned.get('primary')?.[0] ?? target.instances?.stopped?.[0];
  await checkComputeBindings(api, target.bindings ?? {}, some, report);
  await checkInstances(target, api, report);
  const provision = target.instances?.provision;
  if (provision !== undefined && !('length' in provision)) {
    report('instances.provision', await provisionResult(provision, folder));
  }
}

function unlisted(exchange: Exchange): CheckResult {
  const status = exchange.response?.status ?? exchange.ending;
  return noAccess(
    `GET /instances answered ${status} and no list of instances, although the key is accepted elsewhere.`,
    'Give the key permission to list instances; if it has it, a run will report what is wrong with the list.',
  );
}

function roleResult(
  as: string,
  ids: readonly string[],
  owned: ReadonlyMap<string, readonly string[]>,
): CheckResult {
  const listed =
    ids.length === 0 ? 'lists no instances' : `lists ${ids.length} instances on the first page`;
  if (as === 'empty' && ids.length > 0) {
    return mismatch(
      `its account has ${ids.length === 1 ? 'an instance' : 'instances'}, and should have none.`,
      'Use a key of an account without instances, or take the line out.',
    );
  }
  const primary = owned.get('primary') ?? [];
  if (as === 'second' && ids.some((id) => primary.includes(id))) {
    return mismatch(
      'it lists instances that keys.primary lists as well.',
      'Use a key of another account. If it is one already, the target does not keep accounts apart, and a run reports that.',
    );
  }
  if (ids.length > 0 || as === 'empty') return fits(listed);
  return fits(`${listed}: what needs some to look at cannot be exercised`);
}

/** The target must know the key and deny it something that others may read. */
async function forbidden(api: ComputeApi): Promise<CheckResult> {
  const as = 'forbidden';
  const answers = [
    await api.list({ size: 1 }, { as }),
    await api.regions({ as }),
    await api.presets({ size: 1 }, { as }),
  ];
  const statuses = answers.map(({ response }) => response?.status ?? 0);
  if (statuses.includes(403)) return fits('is refused with 403');
  if (statuses.every((status) => status === 401)) {
    return noAccess(
      'it is answered 401 everywhere: the target does not know this key.',
      'Use a key that is valid, and that access policy keeps out; or take the line out.',
    );
  }
  const answered = `instances, regions and presets answered ${statuses.join(', ')}`;
  return untried(`it may read: ${answered}; whether it may act, no read tells`);
}

async function checkInstances(
  target: ComputeTarget,
  api: ComputeApi,
  report: ReportResult,
): Promise<void> {
  const { stopped = [], terminated = [], provision } = target.instances ?? {};
  const see = async (id: string): Promise<string | undefined> =>
    ((await observe(api, target.bindings ?? {}, id)) ?? (await observeInList(api, id)))?.status;
  for (const [role, ids, wanted] of [
    ['stopped', stopped, 'STOPPED'],
    ['terminated', terminated, 'TERMINATED'],
  ] as const) {
    for (const id of ids) {
      await tell(report, `instances.${role}: ${id}`, async () =>
        stateResult(await see(id), wanted),
      );
    }
  }
  if (provision === undefined || !('length' in provision)) return;
  for (const id of provision) {
    await tell(report, `instances.provision: ${id}`, async () => disposableResult(await see(id)));
  }
}

/** Looks whether the provision command could run, without running it. */
async function provisionResult(
  provision: Exclude<Provision, readonly string[]>,
  folder: string,
): Promise<CheckResult> {
  const problem =
    'command' in provision ? await missingProgram(provision.command, folder) : undefined;
  return problem === undefined
    ? untried('it makes instances')
    : mismatch(
        `the command cannot run: ${problem}.`,
        'Check the path: commands run in the folder of the target file.',
      );
}

function stateResult(status: string | undefined, wanted: string): CheckResult {
  if (status === wanted) return fits(`is ${wanted}`);
  if (status === undefined && wanted === 'TERMINATED') {
    return untried(
      'keys.primary does not see it: the target may hide what is terminated, or the id is wrong',
    );
  }
  return status === undefined
    ? unseen()
    : mismatch(
        `it is ${status} and not ${wanted}.`,
        `Bring it there, or list an instance that is ${wanted}.`,
      );
}

function disposableResult(status: string | undefined): CheckResult {
  if (status === undefined) return unseen();
  if (status !== 'TERMINATED' && status !== 'TERMINATING') return fits(`is ${status}`);
  return mismatch(
    `it is ${status}: it has been used up.`,
    'List an instance that still lives, and that may be destroyed.',
  );
}

function unseen(): CheckResult {
  return mismatch(
    'keys.primary does not see it.',
    'Check the id, and that the instance belongs to the account of keys.primary.',
  );
}
