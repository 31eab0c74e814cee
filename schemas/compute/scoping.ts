/** Requirements of isolation between two accounts, and of the reference data that they share. */

import { all, clause, excluded, stated, section } from '../requirement.ts';
import { disposable, needing, running } from './needs.ts';

const foreign = needing('keys.second');
const foreignStop = needing('keys.second', ...running.needs);
const foreignStart = needing('keys.second', 'bindings.start', ...running.needs);
const foreignTerminate = needing('keys.second', ...disposable.needs);

export const scoping = section('compute', 'scoping', [
  clause('overview/scoped', 'What the service does, bullet: requests and the account of the key', {
    'lists-disjoint': foreign.stated.universal(
      'The instance lists of two accounts have no instance in common.',
      { hasCases: true },
    ),
    ...all(stated, foreignStop.needs, {
      'foreign-stop': 'Stopping an instance of another account is answered with 404.',
      'foreign-stop-changes-nothing':
        "After another account's key tried to stop it, the owner sees the instance unchanged.",
    }),
    ...all(stated, foreignTerminate.needs, {
      'foreign-terminate': 'Terminating an instance of another account is answered with 404.',
      'foreign-terminate-changes-nothing':
        "After another account's key tried to terminate it, the owner sees the instance unchanged.",
    }),
    'foreign-start': foreignStart.stated(
      'Starting an instance of another account is answered with 404.',
    ),
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
      'regions-shared': foreign.stated('Two accounts read the same regions.'),
      'presets-shared': foreign.stated('Two accounts read the same presets.'),
    },
  ),
  clause('list-instances/not-widened', 'GET /instances, other accounts', {
    ...all(stated, foreign.needs, {
      'list-not-widened':
        'No parameter that names another account or organisation shows its instances.',
      'filters-stay-inside':
        'Filters and searches for what another account has show none of its instances.',
      'foreign-cursor':
        "A cursor issued to one account never shows its instances to another account's key.",
    }),
  }),
  clause('authentication/rule-6', 'Authentication rule 6', {
    'foreign-get': foreign.stated('Reading an instance of another account is answered with 404.'),
    'foreign-get-same': foreign.stated(
      'Reading an instance of another account gets the same status, code and shape as an id that exists nowhere.',
    ),
    'foreign-stop-same': foreignStop.stated(
      'Stopping an instance of another account gets the same status, code and shape as an id that exists nowhere.',
    ),
    'foreign-terminate-same': foreignTerminate.stated(
      'Terminating an instance of another account gets the same status, code and shape as an id that exists nowhere.',
    ),
    'foreign-start-same': foreignStart.stated(
      'Starting an instance of another account gets the same status, code and shape as an id that exists nowhere.',
    ),
  }),
]);
