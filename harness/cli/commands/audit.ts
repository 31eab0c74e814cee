/** `plumbline audit`: judges recorded traffic. */

import type { PlannedTarget } from '../../runner/selection.ts';
import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { type ExitCode, type Ends, refuse } from '../exit.ts';
import { counted, reportTraffic, type TrafficReportOptions } from '../traffic.ts';
import { notGiven, reportOptions } from './options.ts';
import { sha256, shellWord } from '../../../reports/model/text.ts';
import { exchangeOf, Guess, readRecording, wentTo } from '../../passive/recording.ts';
import type { RecordedEntry } from '../../passive/har.ts';
import { placeOf } from '../../passive/traffic-record.ts';
import { contractNames } from '../../../schemas/contracts.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import { contractOf, trafficJudgeOf } from '../../contracts/index.ts';
import { loadTarget } from '../../contracts/target-file.ts';
import { requireKnownSelection, requireSelected } from '../selection.ts';
import { plannedFrom, requireBaseUrl } from '../planned.ts';
import { requireReportFolder } from '../files.ts';

export interface AuditOptions extends TrafficReportOptions {
  readonly target?: string;
  readonly contract?: Contract;
  readonly baseUrl?: string;
}

/** Adds the options and the action of `plumbline audit`. */
export function register(command: Command, ends: Ends): void {
  command
    .argument('<FILE...>', 'recordings, as *.har or *.ndjson')
    .option('--target <FILE>', 'target file of the deployment, for its bindings and keys')
    .addOption(
      new Option('--contract <NAME>', 'the contract, where no target file tells').choices(
        contractNames,
      ),
    )
    .option('--base-url <URL>', 'where the recorded requests went, as a target file writes it');
  reportOptions(command, 'conformance-audited', 'only', 'exclusive', 'deviations')
    .addHelpText(
      'after',
      `
Without a target file, the contract and the base URL are guessed from documented paths; with one, more is judged.
What a recording leaves out is not exercised, and never a violation.

Exit codes: 0 nothing stated was broken, 1 a stated requirement was broken, 2 usage or unreadable files,
4 the suite failed, 5 nothing was judged.

Examples:
  plumbline audit session.har
  plumbline audit --target staging.yaml monday.har tuesday.har
  plumbline audit --contract router --base-url https://router.example.com traffic.ndjson`,
    )
    .action(ends(audit));
}

/** Reads the recordings, judges them and writes the report. Throws `CommandFailure` and `TargetFileError`. */
export async function audit(files: readonly string[], options: AuditOptions): Promise<ExitCode> {
  requireKnownSelection(options);
  requireReportFolder(options.out, options.force);
  const planned = await targetOf(files, options);
  requireSelected(options, [planned.target]);
  const startedAt = new Date();
  const place = placeOf({ ...planned.target, baseUrl: options.baseUrl ?? planned.target.baseUrl });
  const judge = await trafficJudgeOf({
    planned,
    source: 'recording',
    exclusive: options.exclusive,
  });
  const skipped = new Map<string, number>();
  const skip = (reason: string): void => {
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  };
  const elsewhere = new Guess();
  const met = new Set<string>();
  for (const [index, file] of files.entries()) {
    // Two files may come from machines with different clocks, so their order in time is unknown.
    judge.startTimeline();
    let at = 0;
    for await (const reading of readRecording(file)) {
      at += 1;
      if ('skipped' in reading) skip(reading.skipped);
      else if (!wentTo(reading.entry, place)) {
        skip('requests to other origins');
        elsewhere.note(reading.entry);
      } else if (isRepeated(reading.entry, met)) skip('exchanges that were recorded twice');
      else judge.take(exchangeOf(reading.entry, place, `f${index + 1}-${at}`));
    }
  }
  const view = judge.view();
  const { contract } = planned.target;
  const there = elsewhere.candidates.find((one) => one.contract === contract)?.baseUrl;
  if (view.judged === 0 && there !== undefined) {
    process.stderr.write(
      `No recorded request went to ${place.origin}; they went to ${there}: add --base-url ${there}.\n`,
    );
  }
  return reportTraffic(
    {
      planned,
      file: options.target,
      startedAt,
      outcome: judge.outcome(),
      observed: {
        source: 'recording',
        judged: view.judged,
        notJudged: counted([
          ...skipped,
          ['the recording does not hold the whole body: judged by its head alone', view.headOnly],
          ['elsewhere than below the base URL', view.elsewhere],
        ]),
        clients: view.clients,
      },
      replay: (requirement) => auditCommand(files, options, requirement),
    },
    options,
  );
}

/** The command that finds the same violation again. */
function auditCommand(
  files: readonly string[],
  { target, contract, baseUrl, exclusive }: AuditOptions,
  requirement: string,
): string {
  const given = Object.entries({ target, contract, 'base-url': baseUrl });
  return [
    'plumbline audit',
    ...files.map(shellWord),
    ...given.flatMap(([name, text]) =>
      text === undefined ? [] : [`--${name} ${shellWord(text)}`],
    ),
    ...(exclusive ? ['--exclusive'] : []),
    `--only ${requirement}`,
  ].join(' ');
}

/** An exchange that is in two files counts once. Otherwise its request id would seem to repeat. */
function isRepeated(entry: RecordedEntry, met: Set<string>): boolean {
  const { requestBody, body, ...rest } = entry;
  const digest = sha256(Buffer.concat([Buffer.from(JSON.stringify(rest)), requestBody, body]));
  if (met.has(digest)) return true;
  met.add(digest);
  return false;
}

async function targetOf(files: readonly string[], options: AuditOptions): Promise<PlannedTarget> {
  if (options.target !== undefined) {
    const planned = await loadTarget(options.target);
    const { contract } = planned.target;
    if (options.contract !== undefined && options.contract !== contract) {
      refuse(`--contract ${options.contract}: ${options.target} is a ${contract} target.`);
    }
    if (options.baseUrl !== undefined) requireBaseUrl(contract, options.baseUrl);
    return planned;
  }
  const { contract, baseUrl } = await placeFrom(files, options);
  const name = new URL(baseUrl).host;
  // A target needs a key. This one is random.
  const key = randomUUID();
  return plannedFrom({ name, contract, baseUrl, keys: { [contractOf(contract).keys[0]]: key } });
}

async function placeFrom(
  files: readonly string[],
  { contract, baseUrl }: AuditOptions,
): Promise<{ readonly contract: Contract; readonly baseUrl: string }> {
  if (contract !== undefined && baseUrl !== undefined) {
    return { contract, baseUrl: requireBaseUrl(contract, baseUrl) };
  }
  const guess = new Guess();
  for (const file of files) {
    for await (const reading of readRecording(file)) {
      if ('entry' in reading) guess.note(reading.entry);
    }
  }
  const origin = baseUrl === undefined ? undefined : baseUrl.replace(/\/+$/u, '');
  const fitting = guess.candidates.filter(
    (one) =>
      (contract === undefined || one.contract === contract) &&
      (origin === undefined || one.baseUrl === origin),
  );
  const [only, ...others] = fitting;
  const open = notGiven({ '--contract': contract, '--base-url': baseUrl });
  const how = `Name it with --target TARGET.yaml, or with ${open.join(' and ')}.`;
  if (only === undefined) {
    const where = origin === undefined ? '' : ` at ${origin}`;
    refuse(
      `The recordings show no documented path of a ${contract ?? contractNames.join(' or ')} deployment${where}. ${how}`,
    );
  }
  if (others.length > 0) {
    const choices = fitting
      .slice(0, 10)
      .map((one) => `  ${one.contract} at ${one.baseUrl} (${one.entries} requests)`);
    refuse(`The recordings show several deployments:\n${choices.join('\n')}\n${how}`);
  }
  process.stderr.write(`Judged as the ${only.contract} contract at ${only.baseUrl}.\n`);
  return { contract: only.contract, baseUrl: requireBaseUrl(only.contract, only.baseUrl) };
}
