import { describe, expect, test } from 'vitest';
import { deviationLines } from './conclusions.ts';
import { sampleFinding, sampleGap, sampleReport } from '../sample.test.support.ts';
import { reportPage } from '../html/page.ts';
import { HOSTILE } from '../hostile.test.support.ts';

describe('deviation lines', () => {
  const ids = ['expired', 'healed', 'partly', 'unseen', 'waived'].map(
    (slug) => `compute.list.${slug}`,
  );
  const [expired = '', healed = '', partly = '', unseen = '', waived = ''] = ids;

  function reportWith(reason: string, link?: string) {
    return sampleReport({
      catalogue: ids,
      outcomes: [
        {
          findings: [sampleFinding(expired), sampleFinding(waived)],
          seen: { [healed]: 1, [partly]: 1 },
          gaps: [sampleGap(partly, { reason: 'needs a key' })],
        },
      ],
      deviations: ids.map((requirement) => ({
        requirement,
        reason,
        expires: requirement === expired ? '2026-11-01' : '2030-01-01',
        ...(link === undefined ? {} : { link }),
      })),
    });
  }

  const report = reportWith('old proxy', 'https://tracker.example/1');

  test('each deviation says what became of it, those that ask for something first', () => {
    expect(deviationLines(report, 'staging').map(({ result, text }) => [result.id, text])).toEqual([
      [
        expired,
        'broken, and accepted no longer since 2026-11-01: mend it, or declare a later end (old proxy)',
      ],
      [healed, 'healed: take it out of the deviations (old proxy)'],
      [waived, 'broken, and accepted until 2030-01-01: old proxy'],
      [partly, 'held as far as it was exercised; it may be broken in the rest (old proxy)'],
      [unseen, 'not-exercised, so nothing can be said of it (old proxy)'],
    ]);
    expect(deviationLines(report, 'elsewhere')).toEqual([]);
  });

  describe('the page', () => {
    test('links to where each is tracked', () => {
      const page = reportPage(report);
      expect(page).toContain('Known deviations</h2>');
      expect(page).toContain('<a href="https://tracker.example/1" rel="noreferrer noopener">');
      expect(page).toContain(`<span class="badge passed">healed</span> <code>${healed}</code>`);
    });

    test('lets no reason and no link act', () => {
      const hostile = reportPage(reportWith(HOSTILE, 'javascript:window.pwned=1'));
      expect(hostile).not.toMatch(/href="javascript|<img|<iframe|<svg onload/iu);
      expect(hostile).toContain('<span class="faint">javascript:window.pwned=1</span>');
    });
  });
});
