/** `plumbline observe`: a proxy in front of a deployment that judges what passes. */

import { requireKnownSelection, requireSelected } from './asked.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import { serveLive } from './live-server.ts';
import { knownDeviations } from './known-deviations.ts';
import { loadPlanned } from './load-planned.ts';
import { liveTraffic, notJudged, Rates } from './observation.ts';
import { requireReportFolder } from './report-folder.ts';
import type { ObserveOptions } from './traffic-options.ts';
import { reportTraffic } from './traffic-report.ts';
import { untilEnded } from './until-ended.ts';
import { judgeHere, judgeInThread, type Judging } from '../passive/judging.ts';
import { type Proxy, type ProxyOptions, startProxy } from '../passive/proxy.ts';
import { reachable } from '../passive/reach.ts';
import { placeOf } from '../passive/traffic-record.ts';
import type { JudgeOptions } from '../passive/traffic-judge.ts';

/** Milliseconds for which requests that are under way may still end. */
const GRACE_MS = 3_000;

/** Passes traffic on until the user ends it, and reports. Throws `CommandFailure` and `TargetFileError`. */
export async function observe(file: string, options: ObserveOptions): Promise<ExitCode> {
  const asked = { only: options.only, section: undefined, profile: undefined };
  requireKnownSelection(asked);
  const planned = await loadPlanned(file);
  const { target } = planned;
  requireSelected(asked, [target]);
  requireReportFolder(options.out);
  // What cannot be read is said before clients come, and not once they have gone.
  await knownDeviations(options.deviations);
  const place = placeOf(target);
  const problem = await reachable(place.origin);
  if (problem !== undefined) {
    throw new CommandFailure(
      `${target.baseUrl} could not be reached: ${problem}. Is it up, and is baseUrl in ${file} right?`,
      exitCodes.unreachable,
    );
  }

  const startedAt = new Date();
  const judging = judge({ planned, source: 'proxy', exclusive: options.exclusive });
  const rates = new Rates();
  const proxy = await listening({
    place,
    listen: options.listen,
    host: options.host,
    onExchange: (exchange) => {
      rates.note(exchange);
      judging.take(exchange);
    },
  }).catch(async (error: unknown) => {
    // A thread that waits for exchanges would keep the process alive for ever.
    await judging.finish();
    throw error;
  });
  const instead = `${proxy.origin}${place.basePath}`;
  const page = await serveLive(options.page, async () =>
    liveTraffic({
      target,
      listening: instead,
      startedAt: startedAt.getTime(),
      view: await judging.view(),
      counts: proxy.counts(),
      dropped: judging.dropped,
      rates,
    }),
  ).catch(async (error: unknown) => {
    await Promise.all([proxy.close(0), judging.finish()]);
    throw error;
  });
  tell(options, [
    `What clients send to ${instead} goes to ${target.baseUrl} and is judged.`,
    `The live page is at ${page.url}`,
    'Ctrl-C ends it and writes the report.',
  ]);
  await ended(options);
  tell(options, ['Ending.']);
  await proxy.close(GRACE_MS);
  await page.close();
  const counts = proxy.counts();
  if (counts.reached === 0 && counts.unreachable > 0) {
    process.stderr.write(`${target.baseUrl} could not be reached by any client.\n`);
    await judging.finish();
    return exitCodes.unreachable;
  }
  const { view, outcome, error } = await verdictOf(judging);
  return reportTraffic(
    {
      planned,
      file,
      startedAt,
      outcome,
      troubles:
        error === undefined
          ? []
          : [{ target: target.name, case: 'observe', message: `judging broke: ${error.message}` }],
      observed: {
        source: 'proxy',
        judged: view?.judged ?? 0,
        notJudged: view === undefined ? [] : notJudged(view, counts, judging.dropped),
        clients: view?.clients ?? [],
      },
    },
    options,
  );
}

/** Compiled code judges in a thread of its own; a run of the sources cannot, and does so where it is. */
function judge(options: JudgeOptions): Judging {
  return import.meta.url.endsWith('.js') ? judgeInThread(options) : judgeHere(options);
}

async function verdictOf(judging: Judging): Promise<{
  readonly view?: Awaited<ReturnType<Judging['view']>>;
  readonly outcome: Awaited<ReturnType<Judging['finish']>> | undefined;
  readonly error?: Error;
}> {
  try {
    const view = await judging.view();
    return { view, outcome: await judging.finish() };
  } catch (error) {
    return { outcome: undefined, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

async function listening(options: ProxyOptions): Promise<Proxy> {
  try {
    return await startProxy(options);
  } catch (error) {
    const { host, port } = options.listen;
    throw new CommandFailure(
      `--listen ${host}:${port}: ${error instanceof Error ? error.message : String(error)}. Name another address.`,
      exitCodes.usage,
    );
  }
}

async function ended(options: Pick<ObserveOptions, 'for'>): Promise<void> {
  const { for: seconds } = options;
  if (seconds === undefined) return untilEnded();
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1_000);
  });
  await Promise.race([untilEnded(), time]);
  clearTimeout(timer);
}

function tell({ json }: Pick<ObserveOptions, 'json'>, lines: readonly string[]): void {
  (json ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);
}
