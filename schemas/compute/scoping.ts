/** Requirements of keeping two accounts apart, and of what they share. */

import { section } from './section.ts';

const foreign = ['keys.second'] as const;
const foreignStop = ['keys.second', 'instances.provision', 'consent.stop'] as const;
const foreignTerminate = [
  'keys.second',
  'instances.provision',
  'consent.terminate',
  'bindings.terminate',
] as const;

export const scopingRequirements = section('scoping', {
  'lists-disjoint': {
    clause: 'compute#overview/scoped',
    strength: 'stated',
    statement: 'The instance lists of two accounts have no instance in common.',
    needs: foreign,
    universal: true,
    hasCases: true,
  },
  'list-not-widened': {
    clause: 'compute#list-instances/not-widened',
    strength: 'stated',
    statement: 'No parameter that names another account or organisation shows its instances.',
    needs: foreign,
  },
  'filters-stay-inside': {
    clause: 'compute#list-instances/not-widened',
    strength: 'stated',
    statement: 'Filters and searches for what another account has show none of its instances.',
    needs: foreign,
  },
  'foreign-cursor': {
    clause: 'compute#list-instances/not-widened',
    strength: 'stated',
    statement: "A cursor issued to one account never shows its instances to another account's key.",
    needs: foreign,
  },
  'foreign-get': {
    clause: 'compute#authentication/rule-6',
    strength: 'stated',
    statement: 'Reading an instance of another account is answered with 404.',
    needs: foreign,
  },
  'foreign-get-same': {
    clause: 'compute#authentication/rule-6',
    strength: 'stated',
    statement:
      'Reading an instance of another account gets the same status, code and shape as an id that exists nowhere.',
    needs: foreign,
  },
  'foreign-stop': {
    clause: 'compute#overview/scoped',
    strength: 'stated',
    statement: 'Stopping an instance of another account is answered with 404.',
    needs: foreignStop,
  },
  'foreign-stop-same': {
    clause: 'compute#authentication/rule-6',
    strength: 'stated',
    statement:
      'Stopping an instance of another account gets the same status, code and shape as an id that exists nowhere.',
    needs: foreignStop,
  },
  'foreign-stop-changes-nothing': {
    clause: 'compute#overview/scoped',
    strength: 'stated',
    statement:
      "After another account's key tried to stop it, the owner sees the instance unchanged.",
    needs: foreignStop,
  },
  'foreign-terminate': {
    clause: 'compute#overview/scoped',
    strength: 'stated',
    statement: 'Terminating an instance of another account is answered with 404.',
    needs: foreignTerminate,
  },
  'foreign-terminate-same': {
    clause: 'compute#authentication/rule-6',
    strength: 'stated',
    statement:
      'Terminating an instance of another account gets the same status, code and shape as an id that exists nowhere.',
    needs: foreignTerminate,
  },
  'foreign-terminate-changes-nothing': {
    clause: 'compute#overview/scoped',
    strength: 'stated',
    statement:
      "After another account's key tried to terminate it, the owner sees the instance unchanged.",
    needs: foreignTerminate,
  },
  'foreign-start': {
    clause: 'compute#overview/scoped',
    strength: 'stated',
    statement: 'Starting an instance of another account is answered with 404.',
    needs: ['keys.second', 'bindings.start', 'instances.provision', 'consent.stop'],
  },
  'foreign-start-same': {
    clause: 'compute#authentication/rule-6',
    strength: 'stated',
    statement:
      'Starting an instance of another account gets the same status, code and shape as an id that exists nowhere.',
    needs: ['keys.second', 'bindings.start', 'instances.provision', 'consent.stop'],
  },
  'regions-shared': {
    clause: 'compute#overview/shared-reference',
    strength: 'stated',
    statement: 'Two accounts read the same regions.',
    needs: foreign,
  },
  'presets-shared': {
    clause: 'compute#overview/shared-reference',
    strength: 'stated',
    statement: 'Two accounts read the same presets.',
    needs: foreign,
  },
});
