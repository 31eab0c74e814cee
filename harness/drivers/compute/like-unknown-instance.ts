/** A refusal of what is somebody else's, beside those of what does not exist. */

import { sameRefusal } from '../../checks/compute/scoping.ts';
import type { Judgement } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** Pairs of answers that must all be unlike: in a pair or two a member of an envelope comes and goes by chance. */
const PAIRS = 6;

/** Compares an answer about what is somebody else's with one about what does not exist; asks both again while they differ. */
export async function likeUnknownInstance(
  first: Exchange,
  askForeign: () => Promise<Exchange>,
  askNowhere: () => Promise<Exchange>,
): Promise<Judgement> {
  const unknownInstanceId = [await askNowhere()];
  let judgement = sameRefusal(first, ...unknownInstanceId);
  while (judgement.violations.length > 0 && unknownInstanceId.length < PAIRS) {
    unknownInstanceId.push(await askNowhere());
    judgement = sameRefusal(await askForeign(), ...unknownInstanceId);
  }
  return judgement;
}
