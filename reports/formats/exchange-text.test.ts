import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlCommand, keyVariable } from './exchange-text.ts';
import { sampleExchange } from '../sample.test.support.ts';

const { request } = sampleExchange();

test('reads the key from the environment', () => {
  expect(curlCommand(sampleExchange())).toBe(
    [
      'curl -ig',
      `'https://compute.example.com/v1/instances?size=201'`,
      '-H "Authorization: Bearer $PLUMBLINE_KEY"',
      `-H 'Accept: application/json'`,
    ].join(' \\\n  '),
  );
});

test('a shell hands curl exactly the request, whatever is in it', () => {
  const text = `@{"a":"it's $(touch x) \`y\` \\\\n"}\n@file`;
  const url = `https://h/v1/a?b='&c=$(d)`;
  const headers: [string, string][] = [
    ['Host', 'h'],
    ['Content-Length', '9'],
    ['X-Odd', `'"$HOME`],
    ['Authorization', 'Bearer [redacted]'],
  ];
  const body = { text, bytes: text.length };
  const command = curlCommand(
    sampleExchange({
      request: { ...request, method: 'POST', url, headers, body, credential: 'second' },
    }),
  );
  const script = `curl() { printf '%s\\0' "$@"; }; ${command ?? ''}`;
  const told = execFileSync('bash', ['-c', script], {
    encoding: 'utf8',
    env: { PLUMBLINE_KEY_SECOND: 'secret', HOME: '/home' },
  });
  expect(told.split('\0').slice(0, -1)).toEqual([
    '-ig',
    '-X',
    'POST',
    url,
    '-H',
    `X-Odd: '"$HOME`,
    '-H',
    'Authorization: Bearer secret',
    '-H',
    'Content-Type:',
    '--data-raw',
    text,
  ]);
});

test.for([
  ['Authorization', 'bearer ‹key:primary›', 'secret'],
  ['Authorization', '‹key:primary›', 'secret'],
  ['Cookie', 'a="$b"; key=‹key:primary›; c=‹key:primary›d', 'secret'],
  ['X-Api-Key', '‹key:tokensPerDay[0]›', 'spent'],
] as const)('a key is read wherever it stands: %s: %s', ([name, value, key]) => {
  const command = curlCommand(
    sampleExchange({ request: { ...request, headers: [[name, value]], credential: undefined } }),
  );
  const told = execFileSync('bash', ['-c', `curl() { printf '%s' "$4"; }; ${command ?? ''}`], {
    encoding: 'utf8',
    env: { PLUMBLINE_KEY: 'secret', PLUMBLINE_KEY_TOKENSPERDAY_0: 'spent' },
  });
  expect(told).toBe(`${name}: ${value.replaceAll(/‹.+?›/gu, key)}`);
});

test.for([
  { bytes: 9, base64: 'AAAA' },
  { bytes: 9, text: 'beginning', cut: true as const },
])('there is none when the body was not kept: %j', (body) => {
  expect(curlCommand(sampleExchange({ request: { ...request, body } }))).toBeUndefined();
});

test('keys are named by their role', () => {
  expect(['primary', 'client', 'second', 'tokensPerDay[0]'].map(keyVariable)).toEqual([
    'PLUMBLINE_KEY',
    'PLUMBLINE_KEY',
    'PLUMBLINE_KEY_SECOND',
    'PLUMBLINE_KEY_TOKENSPERDAY_0',
  ]);
});
