/** Bodies are JSON and say so, whatever the answer: one of each kind is brought about. */

import { computeSection } from '../../harness/drivers/compute/session.ts';

export default computeSection('media', (test) => {
  // The checks of every exchange judge these: the case only brings the answers about.
  test(
    'successful answers are JSON',
    { judges: ['compute.media.success-json', 'compute.media.success-label'] },
    async (t) => {
      await t.api.list({ size: 1 });
      await t.api.regions();
      await t.api.presets({ size: 1 });
      // A client that likes something else better still gets JSON.
      await t.api.list({ size: 1 }, { headers: [['Accept', 'text/html, application/json;q=0.5']] });
    },
  );

  test(
    'refusals are JSON',
    { judges: ['compute.media.error-json', 'compute.media.error-label'] },
    async (t) => {
      await t.api.list({ size: 'abc' });
      await t.api.list({}, { as: null });
      await t.api.get(t.unknownInstanceId());
      await t.api.stop(t.unknownInstanceId());
      await t.api.presets({ size: 0 });
    },
  );
});
