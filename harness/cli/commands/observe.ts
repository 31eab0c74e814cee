/** `plumbline observe`: relays the traffic of real clients and judges it. */

import { messageOf } from '../../exchange/exchange.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { networkOf } from '../../drivers/connection.ts';
import { withHeaders } from '../planned.ts';
import { loadDeviations } from '../../target/deviations.ts';
import {
  CommandFailure,
  type ExitCode,
  exitCodes,
  type Ends,
  untilEnded,
  refuse,
} from '../exit.ts';
import { liveTraffic, notJudged, Rates, serveLive } from '../live.ts';
import {
  reportTraffic,
  type TrafficReportOptions,
  type Judging,
  startJudging,
} from '../traffic.ts';
import { reportOptions, type RunOptions } from './options.ts';
import { requireKnownSelection, requireSelected } from '../selection.ts';
import { requireReportFolder } from '../files.ts';
import { loadTarget } from '../../contracts/target-file.ts';
import { type HostRule, startProxy } from '../../passive/proxy.ts';
import { reachable } from '../../passive/relay.ts';
import { placeOf } from '../../passive/traffic-record.ts';

interface ObserveOptions extends TrafficReportOptions, Pick<RunOptions, 'header'> {
  /** `host:port`. */
  readonly listen: string;
  readonly page: string;
  readonly host: HostRule;
  /** Seconds after which it ends by itself. */
  readonly for?: number;
}

/** Adds the options and the action of `plumbline observe`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<TARGET>', 'target file of the deployment')
    .addOption(
      new Option('--listen <HOST:PORT>', 'where clients connect')
        .argParser(address)
        .default('127.0.0.1:8080'),
    )
    .addOption(
      new Option('--page <HOST:PORT>', 'where the live page is')
        .argParser(address)
        .default('127.0.0.1:0', 'any free port of 127.0.0.1'),
    )
    .addOption(
      new Option('--host <RULE>', 'whether Host is changed to that of the target')
        .choices(['auto', 'keep', 'target'])
        .default('auto'),
    )
    .option('--for <SECONDS>', 'end after so many seconds', seconds);
  reportOptions(command, 'conformance-observed', 'only', 'exclusive', 'deviations', 'header')
    .addHelpText(
      'after',
      `
Everything passes through unchanged, but for "Host", which is changed where the target is found by its name, and the headers
that the target file or --header adds. A proxy of the environment and the certificates of the target file are used.
Ctrl-C ends it, waits a moment for what is under way, and writes the ordinary report.

Exit codes: 0 nothing stated was broken, 1 a stated requirement was broken, 2 usage or target file,
3 the target could not be reached, 4 the suite failed, 5 nothing was judged, 130 a second Ctrl-C.

Examples:
  plumbline observe staging.yaml                        clients use http://127.0.0.1:8080 from here on
  plumbline observe --listen 127.0.0.1:9000 --page 127.0.0.1:9001 staging.yaml
  plumbline observe --for 600 --strict staging.yaml     ten minutes of traffic as a gate`,
    )
    .action(ends(observe));
}

function address(text: string): string {
  const [, port] = /^(?:\[[\da-f:.]+\]|[^\s:[\]/]+):(\d{1,5})$/iu.exec(text) ?? [];
  if (port !== undefined && Number(port) <= 65_535) return text;
  throw new InvalidArgumentError('It must be a host and a port, as in 127.0.0.1:8080.');
}

function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/u.test(text) || value <= 0 || value > 1_000_000) {
    throw new InvalidArgumentError('It must be a number of seconds.');
  }
  return value;
}

/** Milliseconds that requests in progress have to finish. */
const GRACE_MS = 3_000;

/** Relays traffic until the user ends it, then reports. Throws `CommandFailure` and `TargetFileError`. */
async function observe(file: string, options: ObserveOptions): Promise<ExitCode> {
  requireKnownSelection(options);
  const planned = withHeaders(await loadTarget(file), options.header);
  const { target } = planned;
  requireSelected(options, [target]);
  requireReportFolder(options.out, options.force);
  // Reports an unreadable file now, not after the clients have gone.
  loadDeviations(options.deviations);
  const place = placeOf(target);
  const network = networkOf(planned);
  const problem = await reachable(place.origin, network);
  if (problem !== undefined) {
    throw new CommandFailure(
      `${target.baseUrl} could not be reached: ${problem}. Is it up, and is baseUrl in ${file} right?`,
      exitCodes.unreachable,
    );
  }

  const startedAt = new Date();
  const judging = startJudging({ planned, source: 'proxy', exclusive: options.exclusive });
  const rates = new Rates();
  const proxy = await startProxy({
    place,
    listen: options.listen,
    host: options.host,
    network,
    headers: Object.entries(target.headers ?? {}).map(
      ([name, value]) => [name, planned.secrets[value] ?? value] as const,
    ),
    onExchange: (exchange) => {
      rates.note(exchange);
      judging.take(exchange);
    },
  }).catch(async (error: unknown) => {
    // Otherwise the waiting thread would keep the process alive.
    await judging.finish();
    return refuse(`--listen ${options.listen}: ${messageOf(error)}`);
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
    return refuse(`--page ${options.page}: ${messageOf(error)}`);
  });
  print(options, [
    `What clients send to ${instead} goes to ${target.baseUrl} and is judged.`,
    `The live page is at ${page.url}`,
    'Ctrl-C ends it and writes the report.',
  ]);
  await untilEnded(options.for);
  print(options, ['Ending.']);
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
          : [{ target: target.name, case: 'observe', message: `judging broke: ${error}` }],
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

async function verdictOf(judging: Judging) {
  try {
    const view = await judging.view();
    return { view, outcome: await judging.finish(), error: undefined };
  } catch (error) {
    return { view: undefined, outcome: undefined, error: messageOf(error) };
  }
}

function print({ json }: Pick<ObserveOptions, 'json'>, lines: readonly string[]): void {
  (json ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);
}
