/** Requirements of isolation between two accounts, and of the reference data that they share. */

import { all, clause, excluded, stated, section } from '../requirement.ts';

const foreign = ['keys.second'] as const;

const foreignStop = ['keys.second', 'instances.provision', 'consent.stop'] as const;

const foreignTerminate = [
  'keys.second',
  'instances.provision',
  'consent.terminate',
  'bindings.terminate',
] as const;

export const scoping = section('compute', 'scoping', [
  clause('overview/scoped', 'What the service does, bullet: requests and the account of the key', {
    'lists-disjoint': stated.universal(
      'The instance lists of two accounts have no instance in common.',
      { needs: foreign, hasCases: true },
    ),
    ...all(stated, foreignStop, {
      'foreign-stop': 'Stopping an instance of another account is answered with 404.',
      'foreign-stop-changes-nothing':
        "After another account's key tried to stop it, the owner sees the instance unchanged.",
    }),
    ...all(stated, foreignTerminate, {
      'foreign-terminate': 'Terminating an instance of another account is answered with 404.',
      'foreign-terminate-changes-nothing':
        "After another account's key tried to terminate it, the owner sees the instance unchanged.",
    }),
    'foreign-start': stated('Starting an instance of another account is answered with 404.', [
      'keys.second',
      'bindings.start',
      'instances.provision',
      'consent.stop',
    ]),
  }),
  excluded(
    'overview/ssh-keys-scoped',
    'What the service does, bullet: SSH keys of the own account',
    'The SSH key operations are not shown, so nothing of them can be asked.',
  ),
  clause(
    'overview/shared-reference',
    'What the service does, bullet: regions and presets are public reference data',
    {
      'regions-shared': stated('Two accounts read the same regions.', foreign),
      'presets-shared': stated('Two accounts read the same presets.', foreign),
    },
  ),
  clause('list-instances/not-widened', 'GET /instances, other accounts', {
    ...all(stated, foreign, {
      'list-not-widened':
        'No parameter that names another account or organisation shows its instances.',
      'filters-stay-inside':
        'Filters and searches for what another account has show none of its instances.',
      'foreign-cursor':
        "A cursor issued to one account never shows its instances to another account's key.",
    }),
  }),
  clause('authentication/rule-6', 'Authentication rule 6', {
    'foreign-get': stated('Reading an instance of another account is answered with 404.', foreign),
    'foreign-get-same': stated(
      'Reading an instance of another account gets the same status, code and shape as an id that exists nowhere.',
      foreign,
    ),
    'foreign-stop-same': stated(
      'Stopping an instance of another account gets the same status, code and shape as an id that exists nowhere.',
      foreignStop,
    ),
    'foreign-terminate-same': stated(
      'Terminating an instance of another account gets the same status, code and shape as an id that exists nowhere.',
      foreignTerminate,
    ),
    'foreign-start-same': stated(
      'Starting an instance of another account gets the same status, code and shape as an id that exists nowhere.',
      ['keys.second', 'bindings.start', 'instances.provision', 'consent.stop'],
    ),
  }),
]);
