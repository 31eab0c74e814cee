import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { withoutCounter, writeAllureResults } from './allure-results.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import { hostileReport } from '../hostile.test.support.ts';

/** Every file that is written of a report, by name. */
function filesOf(given: ConformanceReport): ReadonlyMap<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-allure-'));
  try {
    writeAllureResults(given, folder);
    return new Map(
      readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('results for Allure', () => {
  test('name files that stay in their folder, and hold no hostile sign', () => {
    for (const [name, content] of filesOf(hostileReport())) {
      expect(name).toMatch(/^[\w-]+\.(?:json|httpexchange|properties)$/u);
      expect(content.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e|\u200b/u);
    }
  });

  test('tell the environment as properties, one for each line', () => {
    const lines = (filesOf(hostileReport()).get('environment.properties') ?? '')
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.slice(0, 3)).toEqual([
      'plumbline=0.1.0',
      expect.stringMatching(/^catalogue=\w{12}$/u),
      'seed=42',
    ]);
  });
});

const counter = `<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
    <script>
        window.dataLayer = window.dataLayer || [];
        function gtag(){dataLayer.push(arguments);}
        gtag('js', new Date());
    </script>
    `;
const own = '<script src="app.js"></script>\n<script>window.ready = true;</script>\n';

test('the counter of the page is removed, and nothing else', () => {
  expect(withoutCounter(`<body>${own}${counter}${own}</body>`)).toBe(`<body>${own}${own}</body>`);
  expect(withoutCounter(own)).toBe(own);
});

test.for([
  ['<script src="https://stats.example/x.js"></script>'],
  ["<script src='//stats.example/x.js'></script>"],
  ['<script>var q; gtag("config", 1)</script>'],
])('another counter is not let by: %s', ([script = '']) => {
  expect(() => withoutCounter(`${own}${script}`)).toThrow(/still loads/u);
});
