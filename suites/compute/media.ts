/** Every body is JSON with a JSON content type; cases provoke one response of each kind. */

import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';

const of = idsIn('media');

/** A client that prefers another type still gets JSON. */
const FROM_A_BROWSER = { headers: [['Accept', 'text/html, application/json;q=0.5']] } as const;

export default computeSection('media', (test) => {
  // The universal checks judge these responses; the case only provokes them.
  test(
    'successful answers are JSON',
    { judges: [of('success-json'), of('success-label')] },
    async (t) => {
      await t.api.list({ size: 1 });
      await t.api.regions();
      await t.api.presets({ size: 1 });
      await t.api.list({ size: 1 }, FROM_A_BROWSER);
      await t.api.presets({ size: 1 }, FROM_A_BROWSER);
    },
  );

  test('refusals are JSON', { judges: [of('error-json'), of('error-label')] }, async (t) => {
    await t.api.list({ size: 'abc' });
    await t.api.list({}, { as: null });
    await t.api.get(t.unknownInstanceId());
    await t.api.stop(t.unknownInstanceId());
    await t.api.presets({ size: 0 });
    await t.api.list({ size: 'abc' }, FROM_A_BROWSER);
    await t.api.get(t.unknownInstanceId(), FROM_A_BROWSER);
  });
});
