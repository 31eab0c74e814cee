/** Requirements of reading one instance. */

import { section } from './section.ts';

export const getInstanceRequirements = section('get-instance', {
  'own-instance': {
    clause: 'compute#get',
    strength: 'stated',
    statement: 'An instance of the own list can be read by its id with a 2xx status.',
  },
  'names-instance': {
    clause: 'compute#get',
    strength: 'implied',
    statement: 'The record of a single instance carries the id that was asked for.',
    needs: ['bindings.getInstance.record'],
  },
  'agrees-with-list': {
    clause: 'compute#get',
    strength: 'implied',
    statement:
      'What both variants describe alike (name, GPU model, CPU count, rate) is the same in the single record and in the list.',
    needs: ['bindings.getInstance.record'],
  },
  'unknown-id': {
    clause: 'compute#get/not-found',
    strength: 'stated',
    statement: 'Reading an id that exists nowhere is answered with 404.',
  },
  'malformed-id': {
    clause: 'compute#get/not-found',
    strength: 'implied',
    statement: 'Reading an id that is no UUID is refused with 400 or 404.',
  },
  variant: {
    clause: 'compute#get/body',
    strength: 'open',
    statement: 'Which variant of the record the single read follows, and where the body holds it.',
  },
  'terminated-readable': {
    clause: 'compute#get',
    strength: 'open',
    statement: 'Whether a terminated instance can still be read by its id.',
    needs: ['instances.terminated'],
  },
  'success-status': {
    clause: 'compute#get/body',
    strength: 'open',
    statement: 'Which 2xx status a single read carries.',
  },
});
