/** What a verified statement says, and what it proves and does not. */

import type { Statement } from './attestation.ts';
import { visibleLine } from './visible-text.ts';

const results: Readonly<Record<Statement['predicate']['result'], string>> = {
  PASSED: 'everything stated that was exercised held',
  WARNED: 'nothing stated was broken, with remarks: warnings, waivers, or only a part was run',
  FAILED: 'stated requirements were broken',
};

/** Lines for people; `fingerprint` is that of the key that verified it. */
export function attestationText(
  said: Statement,
  fingerprint: string,
  ownCatalogue: string,
): readonly string[] {
  const { predicate } = said;
  return [
    `Result: ${predicate.result}: ${results[predicate.result]}.`,
    ...predicate.configuration.flatMap((part) => linesOf(part, ownCatalogue)),
    '',
    'This proves:',
    `- Whoever holds the private key of ${fingerprint} signed this statement.`,
    '- The result file is the one that was signed, byte for byte, and the statement says of it what it says.',
    'This does not prove:',
    '- who holds that key: compare the fingerprint with one that you got another way;',
    '- that the run took place as it is told, or when: there is no trusted time in it;',
    '- that what answers at that address is the same today, or was what you think it was;',
    '- anything about requirements that were not exercised, left out or waived.',
  ];
}

function linesOf(
  part: Statement['predicate']['configuration'][number],
  ownCatalogue: string,
): readonly string[] {
  const shown = (text: string): string => visibleLine(text, 200);
  if (part.name === 'catalogue') {
    const { tool, version } = part.annotations;
    const same = part.digest.sha256 === ownCatalogue;
    return [
      `Judged by ${shown(tool)} ${shown(version)}, catalogue ${part.digest.sha256.slice(0, 12)}, ${same ? 'the same as that of this plumbline' : 'another one than that of this plumbline'}.`,
    ];
  }
  if (part.name === 'run') {
    const { id, startedAt, seed, partial, selection } = part.annotations;
    const scope = [...(partial ? ['unfinished'] : []), ...selection.map(shown)].join(', ');
    return [
      `Run ${shown(id)}, said to have started at ${shown(startedAt)}, seed ${seed}${scope === '' ? '' : `; only a part: ${scope}`}.`,
    ];
  }
  const { target, contract, stated, notSelected, profiles } = part.annotations;
  const count = (name: string): number => stated[name] ?? 0;
  return [
    `Target ${shown(target)} (${contract}) at ${shown(part.uri)}: ${count('passed')} of ${count('total')} stated requirements held, ${count('failed')} broken, ${count('waived')} waived, ${count('notExercised')} not exercised${notSelected > 0 ? `, ${notSelected} of any strength left out` : ''}.`,
    ...profiles.map(
      ({ name, met, held, total }) =>
        `  Profile ${shown(name)}: ${met ? 'met' : 'not met'}, ${held} of ${total}.`,
    ),
  ];
}
