/** GET /regions: the fixed set of codes, and codes as filters. */

import { computeNeeds } from '../../schemas/compute/needs.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { accepted, answeredWith } from '../../harness/checks/compute/answers.ts';
import { codesExact, codesMentioned } from '../../harness/checks/compute/regions.ts';
import { shapeOf } from '../../harness/checks/compute/scoping.ts';
import { jsonBody } from '../../harness/exchange/body.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import { NotExercised } from '../../harness/runner/case.ts';
import { violated } from '../../harness/checks/judgement.ts';
import { readRegionCodes } from '../../harness/target/bindings.ts';

const of = idsIn('regions');

/** Sizes of groups of parallel reads, so that an alternating response cannot stay in step. One deviation is a violation. */
const READS = [1, 3, 2];

export default computeSection('regions', (test) => {
  test(
    'the regions can be read, and mention every code',
    { judges: [of('answers'), of('codes-mentioned'), of('body')] },
    async (t) => {
      for (const count of READS) {
        const together = Array.from({ length: count }, async () => t.api.regions());
        for (const answer of await Promise.all(together)) {
          t.judge(of('answers'), accepted(answer, 'A read of the regions'));
          t.judge(of('codes-mentioned'), codesMentioned(answer));
          const body = jsonBody(answer);
          t.record(of('body'), body.ok ? shapeOf(body.value) : body.problem, answer);
        }
      }
    },
  );

  test(
    'the regions are the fixed set, all in one answer',
    { judges: [of('codes-exact')] },
    async (t) => {
      const answer = await t.api.regions();
      const body = jsonBody(answer);
      const codes = readRegionCodes(
        body.ok ? body.value : undefined,
        t.bindings.regions?.codes ?? '$',
      );
      if (!codes.ok && codesMentioned(answer).violations.length === 0) {
        // The body mentions every code, so the binding in the target file is wrong, not the target.
        throw new NotExercised(codes.reason, computeNeeds['bindings.regions.codes'].line);
      }
      t.judge(
        of('codes-exact'),
        codes.ok
          ? codesExact(codes.value, answer)
          : violated(
              'The response does not hold the regions where the target file says.',
              { expected: regionCodes, actual: codes.reason },
              answer,
            ),
      );
    },
  );

  test(
    'every code is accepted as a filter of instances',
    { judges: [of('codes-filter-instances')] },
    async (t) => {
      for (const region of regionCodes) {
        t.judge(
          of('codes-filter-instances'),
          answeredWith(await t.api.list({ region }), 200, `The region filter ${region}`),
        );
      }
    },
  );

  test(
    'every code is accepted as a filter of presets',
    { judges: [of('codes-filter-presets')] },
    async (t) => {
      for (const region of regionCodes) {
        t.judge(
          of('codes-filter-presets'),
          accepted(await t.api.presets({ region }), `The preset filter region=${region}`),
        );
      }
    },
  );

  test(
    'what the regions do with parameters is recorded',
    { judges: [of('parameters')] },
    async (t) => {
      for (const query of ['size=1', 'no_such_parameter=1']) {
        const answer = await t.api.send({ method: 'GET', path: '/regions', query, as: 'primary' });
        t.record(of('parameters'), `${query}: ${answer.response?.status}`, answer);
      }
    },
  );
});
