/** A report for tests in which every text that a server or a user controls contains an attack. */

import type { ConformanceReport } from '../schemas/report.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleGap,
  sampleReport,
  sampleRequirement,
} from './sample.test.support.ts';

/** If it were interpreted as markup, each part would set `window.pwned`, load something, close an element or hide text. */
export const HOSTILE = [
  '<script>window.pwned=1</script>',
  '</script><script>window.pwned=2</script>',
  '</style></title></pre></textarea><img src=x onerror="window.pwned=3">',
  `" onmouseover="window.pwned=4" autofocus onfocus='window.pwned=5' x="`,
  'javascript:window.pwned=6',
  '<a href="javascript:window.pwned=7">click</a><svg onload=window.pwned=8>',
  '<iframe src="https://evil.example/"></iframe><meta http-equiv=refresh content=0;url=//evil.example>',
  '<!-- ]]> --> &lt;b&gt; &amp; ${window.pwned=9} `',
  '\u202Eecnalg ta\u202C \u0000\u0007\u001b[2J\u200b\uFEFF\uD800',
].join('\n');

export function hostileReport(): ConformanceReport {
  const ids = [
    'compute.list-instances.broken',
    'compute.list-instances.open',
    'compute.list-instances.gap',
  ];
  const [broken = '', open = '', missing = ''] = ids;
  const headers = [['x-hostile', HOSTILE] as const, [HOSTILE, 'value'] as const];
  const body = { text: HOSTILE, bytes: HOSTILE.length };
  return sampleReport({
    targets: [{ name: HOSTILE, contract: 'compute', baseUrl: HOSTILE, file: HOSTILE }],
    catalogue: [
      broken,
      sampleRequirement(open, { strength: 'open' }),
      missing,
      'compute.list-instances.unclear',
      'compute.list-instances.held',
    ],
    outcomes: [
      {
        target: HOSTILE,
        case: HOSTILE,
        judges: [broken],
        findings: [
          sampleFinding(broken, {
            message: HOSTILE,
            expected: 'plain',
            actual: HOSTILE,
            exchanges: ['e1'],
            counterexample: { value: HOSTILE, seed: 1, path: HOSTILE },
          }),
        ],
        gaps: [
          sampleGap(missing, { reason: HOSTILE, line: HOSTILE }),
          sampleGap('compute.list-instances.unclear', { kind: 'inconclusive', reason: HOSTILE }),
        ],
        recordings: [{ requirement: open, note: HOSTILE, exchange: 'e1' }],
        errors: [{ message: HOSTILE, stack: HOSTILE }],
        seen: { 'compute.list-instances.held': 1, [open]: 1 },
        samples: { 'compute.list-instances.held': 'e1' },
        exchanges: [
          sampleExchange({
            target: HOSTILE,
            operation: HOSTILE,
            request: {
              method: HOSTILE,
              url: `javascript:${HOSTILE}`,
              headers,
              body,
              credential: HOSTILE,
            },
            response: { status: 200, headers, body, timeline: [{ atMs: 1, text: HOSTILE }] },
            ending: HOSTILE,
            cause: HOSTILE,
          }),
        ],
        traffic: [{ operation: HOSTILE, status: 200, code: HOSTILE, count: 1, latencies: [1] }],
        transitions: { [`${HOSTILE}>RUNNING`]: 1, 'RUNNING>STOPPED': 1 },
        properties: [],
      },
    ],
  });
}
