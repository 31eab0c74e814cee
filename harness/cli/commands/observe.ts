/** The options of `plumbline observe`. What it does is loaded when it is called. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SetExitCode } from '../exit.ts';
import type { Address, ObserveOptions } from '../traffic-options.ts';
import { trafficReportOptions } from './options.ts';

/** Adds `plumbline observe` to the program. */
export function registerObserve(program: Command, setExitCode: SetExitCode): void {
  const command = program
    .command('observe')
    .description('pass the traffic of real clients on to a deployment, and judge it')
    .argument('<TARGET>', 'target file of the deployment')
    .addOption(
      new Option('--listen <HOST:PORT>', 'where clients connect')
        .argParser(address)
        .default(loopback(8080), '127.0.0.1:8080'),
    )
    .addOption(
      new Option('--page <HOST:PORT>', 'where the live page is')
        .argParser(address)
        .default(loopback(0), 'any free port of 127.0.0.1'),
    )
    .addOption(
      new Option('--host <RULE>', 'whether Host is changed to that of the target')
        .choices(['auto', 'keep', 'target'])
        .default('auto'),
    )
    .option('--for <SECONDS>', 'end after so many seconds', seconds);
  trafficReportOptions(command)
    .addHelpText(
      'after',
      `
Everything passes through unchanged. Where the target is found by its name, "Host" is changed to it; nothing else ever is.
Ctrl-C ends it, waits a moment for what is under way, and writes the ordinary report.

Exit codes: 0 nothing stated was broken, 1 a stated requirement was broken, 2 usage or target file,
3 the target could not be reached, 4 the suite failed, 5 nothing was judged, 130 a second Ctrl-C.

Examples:
  plumbline observe staging.yaml                        clients use http://127.0.0.1:8080 from here on
  plumbline observe --listen 127.0.0.1:9000 --page 127.0.0.1:9001 staging.yaml
  plumbline observe --for 600 --strict staging.yaml     ten minutes of traffic as a gate`,
    )
    .action(async (file: string, options: ObserveOptions) => {
      const { observe } = await import('../observe.ts');
      setExitCode(await observe(file, options));
    });
}

function loopback(port: number): Address {
  return { host: '127.0.0.1', port };
}

const HIGHEST_PORT = 65_535;

function address(text: string): Address {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/iu.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > HIGHEST_PORT) {
    throw new InvalidArgumentError('It must be a host and a port, as in 127.0.0.1:8080.');
  }
  return { host: match[1] ?? match[2] ?? '', port };
}

function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/u.test(text) || value <= 0 || value > 1_000_000) {
    throw new InvalidArgumentError('It must be a number of seconds.');
  }
  return value;
}
