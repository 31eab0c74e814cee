import { describe, expect, it } from 'vitest';
import { computeFaults } from '../../reference/compute/faults/index.ts';
import { faultSample } from '../fault-sample.ts';
import { failuresOf as ofDredd } from './dredd.ts';
import { failuresOf as ofSpecmatic } from './specmatic.ts';

describe('what peers report', () => {
  it('is read from the lines of Dredd, without durations', () => {
    const said = [
      'warn: something',
      'pass: GET (200) /regions duration: 12ms',
      'fail: GET (400) /regions duration: 20ms',
      'error: POST (202) /x/stop duration: 3ms',
    ].join('\n');
    expect(ofDredd(said)).toEqual(new Set(['GET (400) /regions', 'POST (202) /x/stop']));
    expect(ofDredd('error: no such file')).toBeUndefined();
  });

  it('is read from the scenarios of Specmatic', () => {
    const said = 'Scenario: GET /a -> 200 has FAILED\n  Scenario: GET /b -> 200 has SUCCEEDED\n';
    expect(ofSpecmatic(said)).toEqual(new Set(['GET /a -> 200']));
    expect(ofSpecmatic('Tests run: 0')).toBeUndefined();
  });
});

describe('the sample of faults', () => {
  it('is of 40 faults that there are', () => {
    const names = new Set(computeFaults.map(({ name }) => name));
    expect(new Set(faultSample).size).toBe(40);
    expect(faultSample.filter((name) => !names.has(name))).toEqual([]);
  });
});
