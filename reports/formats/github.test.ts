import { expect, test } from 'vitest';
import { sampleFinding, sampleReport } from '../sample.test.support.ts';
import { githubAnnotations, githubSummary } from './github.ts';

const id = 'compute.list.broken';
const report = sampleReport({
  catalogue: [id, 'compute.list.held'],
  outcomes: [
    {
      judges: [id, 'compute.list.held'],
      seen: { 'compute.list.held': 1 },
      findings: [{ ...sampleFinding(id), message: 'half\n50 %::stop' }],
    },
  ],
});

test('each broken requirement is one annotation, of one line whatever it says', () => {
  const lines = githubAnnotations(report).split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^::error title=compute\.list\.broken::.*half%0A50 %25::stop/u);
});

test('the summary is the Markdown report', () => {
  expect(githubSummary(report)).toContain(id);
});
