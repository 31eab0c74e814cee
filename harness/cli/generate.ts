/** Writes the files that are made from the schemas, or says which of them are out of date. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  contractData,
  contractNames,
  requirementsOf,
  targetFile,
} from '../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';
import { routerNeeds } from '../../schemas/router/needs.ts';
import { deviationList } from '../../schemas/deviations.ts';
import { conformanceReport } from '../../schemas/report.ts';

/** The whole page as Markdown. */
function requirementsPage(): string {
  return [
    '# Requirements',
    '',
    'Generated from the catalogue in `schemas/`; `npm run generate` writes it anew.',
    '',
    '**stated**: the contract says it, breaking it fails a run. **implied**: a careful reader expects it, breaking it warns. **open**: left to the deployment, what it does is recorded.',
    '',
    ...contractNames.flatMap(contractPart),
  ].join('\n');
}

function contractPart(contract: Contract): readonly string[] {
  const requirements = requirementsOf(contract);
  const sections = [...new Set(requirements.map(({ section }) => section))];
  const excluded = Object.entries(contractData(contract).clauses).filter(
    ([, clause]) => clause.excluded,
  );
  return [
    `## ${contractData(contract).title}`,
    '',
    ...sections.flatMap((section) => [
      `### ${contract}/${section}`,
      '',
      '| id | strength | requirement | needs | clause |',
      '|---|---|---|---|---|',
      ...requirements.filter((requirement) => requirement.section === section).map(row),
      '',
    ]),
    `### ${contractData(contract).title}: clauses that are not judged`,
    '',
    '| clause | where | why not |',
    '|---|---|---|',
    ...excluded.map(
      ([anchor, clause]) =>
        `| ${anchor} | ${cell(clause.where)} | ${cell(clause.excluded ?? '')} |`,
    ),
    '',
  ];
}

function row(requirement: Requirement): string {
  const needs = (requirement.needs ?? []).map((need) => `\`${need}\``).join(', ');
  const judged = [
    ...(requirement.universal === true ? ['on every exchange'] : []),
    ...(requirement.judged === undefined ? [] : [requirement.judged]),
  ].join('; ');
  const statement =
    judged === '' ? requirement.statement : `${requirement.statement} *(${judged})*`;
  return `| \`${requirement.id}\` | ${requirement.strength} | ${cell(statement)} | ${needs} | ${requirement.clause} |`;
}

/** Text inside a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}

const introduction = `# Setting up a router for a full run

With one client key and one model, the suite exercises everything that these allow. Each fixture below lets it
exercise more; \`plumbline plan TARGET.yaml\` says what is still missing. Nothing here needs a change of the router
itself: keys, models, policies and agents are configuration.

## The scripted engine

Most of the contract is about what a router makes of an engine's answers. So the agents of the models below point at
the scripted engine, which does what each request asks of it and counts what reaches it:

- Start it first, and leave it running: \`plumbline backend\`. It answers at 127.0.0.1:9100 and 127.0.0.1:9101, which tell
  two agents apart, and is steered at 127.0.0.1:9190. Point the agents there, and write
  \`backend: { control: http://127.0.0.1:9190 }\`. On another machine name its addresses and set a token for both:
  \`PLUMBLINE_CONTROL_TOKEN=… plumbline backend --listen 0.0.0.0:9100 --listen 0.0.0.0:9101 --control 0.0.0.0:9190\`.
- \`plumbline check TARGET.yaml\` then sends a marked request through each model with a role, and says line by line which
  reach the engine, through how many agents, and which do not and why. A run looks, too: what needs the engine behind a
  model that never reaches it is not exercised, and the reason is told.
- Instead, \`backend: { listen: [ 127.0.0.1:9100, 127.0.0.1:9101 ] }\` lets the run itself answer there, for as long as it
  takes. Agents that look after the health of their engine have left it out by then: the run waits up to 30 s for them, and
  says for which.

Agents whose engine is a real one stay useful: whatever needs no script is still exercised, with few tokens.

## Keys and models

- A key or model that is listed for a role may be used up in it: being listed is the leave. Use keys of their own,
  which nothing else depends on.
- \`requestsPerMinute\` wants 90 to 600 requests a minute, most of which its bucket gives at once: what a smaller one gets
  back in a few seconds does not tell how fast it fills, and a larger one takes too many to empty.
- \`limits.replicas\` says how many replicas share the requests, each with a bucket of its own. Without it four are allowed
  for, and a key that is never refused is inconclusive.
- \`tokensPerDay\` wants several keys: each is spent once a day. Ten cover a run, and six more each further run of the day.
- \`pair\` has one step of two agents, one on each address, and at least two tries: with more steps a request that always
  fails is tried more often than \`limits.maxTries\` says.
- \`fallback\` has a first step that cannot serve (no eligible agent) and a second that can.
- \`overflow\` has a first step of one agent with few slots and no queue, and a second step of another agent: both on the
  scripted engine, which fails the one and answers as the other.
- \`bounded\` has one step with more agents than tries, all on the scripted engine. With one try, and agents that
  \`hooks.disconnectAgent\` takes away, it also shows that dialling again is free.
- \`client\`, \`second\` and \`unlimited\` have neither an allowlist nor quotas per model: either refuses a model that nobody
  registers in its own way, and much is then left open.
- \`provider\` has an agent and, behind it, an external provider: both on the scripted engine, which fails the
  one and answers as the other.
- \`singleSlot\` has one agent with few slots and no queue of its own.
- \`deadBackend\` has an agent that is up, and an engine port that is closed. \`agentGone\` has a registered agent that
  cannot be reached.
- \`shed\` is over its threshold all the time, or \`hooks.shed\` puts it there.
- Filling the whole router (\`queue_full\`, waiting for a processor) also wants \`consent: { saturate: true }\`, and
  the figures \`limits.queueSize\`, \`limits.maxConcurrent\` and \`limits.requestTimeoutMs\`. Meanwhile nobody else is
  served for some seconds: use a router of its own. One that works on fewer than nine requests at once leaves some
  more out: up to eight are held while others are sent. The deadline, \`limits.requestTimeoutMs\`, must be longer than
  5,500 ms for \`queue_full\`, which comes once the channel was full for five seconds; 7,000 leave the run short.
- \`capped\` allows as many images as it says by its tokens, too: 2,000 for each are enough for any way of counting.
- \`serverless\` shows its occupancy share whatever weighs in it where the input rate is eight times the share.
- A router that leaves agents out after failures is waited for, up to 12 s at a time and 150 s in all: many requests fail
  on purpose. Agents that rest for a second or less, or after several failures alone, leave most to be seen.
- \`hidden.from\` is the name of any key of the target file, \`second\` for one: the model is kept from that key alone.
- \`hooks.disconnectAgent\` and \`hooks.reconnectAgent\` are commands, run by a shell in the folder of the target file.
  They take the agents of \`models.chat\` away and bring them back, and end when that is done.

## What each fixture is for
`;

/** The whole page as Markdown. */
function routerFixturesPage(): string {
  const requirements = requirementsOf('router');
  const alone = requirements.filter(({ needs }) => needs === undefined || needs.length === 0);
  const rows = Object.entries(routerNeeds).map(([name, need]) => {
    const ids = requirements.filter(({ needs }) => needs?.includes(name)).map(({ id }) => id);
    return `| \`${name}\` | ${need.purpose} | ${ids.length} | ${ids.map((id) => `\`${id.replace('router.', '')}\``).join(' ')} |`;
  });
  return [
    introduction,
    `${alone.length} of ${requirements.length} requirements need nothing but a client key. Ids are shown without \`router.\`.`,
    '',
    '| line of the target file | what it is | requirements | which |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Every generated file: its path from the root of the project, and what must be in it. Pure. */
export function generateArtifacts(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/requirements.md', requirementsPage()],
    ['docs/router-fixtures.md', routerFixturesPage()],
    ['docs/schema/target.schema.json', jsonSchema(targetFile, 'Plumbline target file', 'input')],
    [
      'docs/schema/report.schema.json',
      jsonSchema(conformanceReport, 'Plumbline conformance report', 'output'),
    ],
    [
      'docs/schema/deviations.schema.json',
      jsonSchema(deviationList, 'Plumbline deviations file', 'input'),
    ],
  ]);
}

function jsonSchema(schema: z.ZodType, title: string, io: 'input' | 'output'): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    // Our types are immutable; who writes a file may change it.
    override: (context) => {
      delete context.jsonSchema.readOnly;
    },
  });
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}

/** Paths of the generated files that are missing or out of date under a root folder. */
export async function staleArtifacts(root: string): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [file, content] of generateArtifacts()) {
    const found = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
    if (found !== content) stale.push(file);
  }
  return stale;
}

/** Writes every generated file that is out of date under a root folder, and returns their paths. */
export async function writeArtifacts(root: string): Promise<readonly string[]> {
  const stale = await staleArtifacts(root);
  for (const [file, content] of generateArtifacts()) {
    if (!stale.includes(file)) continue;
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), content);
  }
  return stale;
}

/** `node dist/harness/cli/generate.js [--check]`, from the root of the project. */
async function main(argv: readonly string[]): Promise<number> {
  const root = process.cwd();
  if (!argv.includes('--check')) {
    for (const file of await writeArtifacts(root)) console.log(`wrote ${file}`);
    return 0;
  }
  const stale = await staleArtifacts(root);
  for (const file of stale)
    console.error(`${file} is out of date: run the command without --check`);
  return stale.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
