/** The fixtures of a router as a page for the person who sets it up. */

import type { routerFixtures } from './router-fixtures.ts';

/** The fixtures as Markdown tables, for configuring the router by hand. */
export function fixtureTables({
  engine,
  limits,
  fleet,
  keys,
  agents,
  models,
}: ReturnType<typeof routerFixtures>): string {
  const rows = (cells: readonly (readonly unknown[])[]): string =>
    cells.map((row) => `| ${row.map(cellText).join(' | ')} |`).join('\n');
  const table = (head: readonly string[], cells: readonly (readonly unknown[])[]): string =>
    `${rows([head, head.map(() => '---')])}\n${rows(cells)}`;
  const rest = (one: object, ...known: readonly string[]): object =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !known.includes(name)));
  return [
    '# Fixtures of a router',
    `The engine, which is started first and left running: \`${engine.command}\``,
    '## Limits',
    table(['setting', 'value'], Object.entries({ ...limits, ...fleet })),
    '## Agents',
    table(
      ['agent', 'engine', 'slots', 'state'],
      agents.map(({ name, engine: at, capacity, state }) => [name, at, capacity, state]),
    ),
    '## Models',
    table(
      ['model', 'role', 'serves', 'steps: agents (tries)', 'queue', 'policy'],
      models.map((one) => [
        one.id,
        one.role,
        one.serves,
        one.steps.map((step) => `${step.agents.join(' + ')} (${step.maxTries})`).join(', then '),
        one.queue,
        rest(one, 'id', 'role', 'serves', 'steps', 'queue'),
      ]),
    ),
    '## Keys',
    table(
      ['key', 'role', 'owner', 'variable', 'state', 'may call', 'quota'],
      keys.map((one) => [
        one.name,
        one.role,
        one.owner,
        one.secretFrom,
        one.state,
        one.may,
        rest(one, 'name', 'role', 'owner', 'secretFrom', 'state', 'may'),
      ]),
    ),
    '## What they mean',
    meanings.map((line) => `- ${line}`).join('\n'),
    '',
  ].join('\n\n');
}

const meanings = [
  '`perModel` declares its models, and bounds none of them: where a 0 forbids on your router, write a number that no run comes near.',
  '`hooks.disconnectAgent`, a command in the target file, takes the agents of the role `chat` away, and `hooks.reconnectAgent` brings them back; without them two requirements are not exercised.',
  '`replicas` says how many processes of the router count requests for themselves. `sheds: always` is a model over its threshold all the time.',
  'The engine tells how many tokens an answer took: `usage.prompt_tokens` and `usage.completion_tokens` for chat, `usage.input_tokens` and `usage.output_tokens` for messages, of streams in the last event but one; in a chat stream only where `stream_options.include_usage` asks for it.',
] as const;

function cellText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(
      ([name, held]) =>
        `${name}: ${typeof held === 'object' ? JSON.stringify(held) : String(held)}`,
    )
    .join('; ');
}
