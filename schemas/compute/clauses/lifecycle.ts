/** Clauses about states, and about the operations that move an instance from one to another. */

import type { Clause } from '../../requirement.ts';

export const lifecycleClauses = {
  'compute#states': { where: 'States and transitions, list of states' },
  'compute#states/order': { where: 'States and transitions, lifecycle order' },
  'compute#states/errored': { where: 'States and transitions, ERRORED' },
  'compute#states/running-stop': { where: 'States table, stop of RUNNING' },
  'compute#states/running-stop/at-once': {
    where: 'States table, stop of RUNNING: when the call returns',
  },
  'compute#states/running-stop/billing': { where: 'States table, stop of RUNNING: billing' },
  'compute#states/running-stop/storage': { where: 'States table, stop of RUNNING: storage' },
  'compute#states/stopped-stop': { where: 'States table, stop of STOPPED' },
  'compute#states/gone-stop': { where: 'States table, stop of TERMINATING or TERMINATED' },
  'compute#states/stopping-terminate': { where: 'States table, terminate of STOPPING' },
  'compute#states/terminating-terminate': { where: 'States table, terminate of TERMINATING' },
  'compute#states/terminating-terminate/gone': {
    where: 'States table, terminate of TERMINATING once the resource is gone',
  },
  'compute#states/terminating-terminate/recovers': {
    where: 'States table, terminate of TERMINATING: recovery of a failed teardown',
    excluded: 'A teardown that fails part-way cannot be brought about from outside.',
  },
  'compute#states/terminated-terminate': { where: 'States table, terminate of TERMINATED' },
  'compute#states/any-terminate': { where: 'States table, terminate of any other state' },
  'compute#states/stopped-start': { where: 'States table, start of STOPPED' },
  'compute#states/not-shown': {
    where: 'States table, transitions that are not shown',
  },
  'compute#states/rule-1/poll': { where: 'States rule 1, polling' },
  'compute#states/rule-1/no-timer': {
    where: 'States rule 1, repeated terminate',
    excluded: 'Advice to clients.',
  },
  'compute#states/rule-2': { where: 'States rule 2, stop elsewhere' },
  'compute#states/rule-3': {
    where: 'States rule 3, automatic stop',
    excluded: 'Condition and transition are expressly not stated.',
  },

  'compute#stop': { where: 'POST /instances/{id}/stop, heading' },
  'compute#stop/id': { where: 'POST /instances/{id}/stop, path parameter' },
  'compute#stop/body': { where: 'POST /instances/{id}/stop, optional body' },
  'compute#stop/reason-note': { where: 'POST /instances/{id}/stop, reason_note' },
  'compute#stop/audit': {
    where: 'POST /instances/{id}/stop, audit trail',
    excluded: 'The audit trail cannot be read through this interface.',
  },
  'compute#stop/response': { where: 'POST /instances/{id}/stop, shape of the answer' },
  'compute#stop/at-once': { where: 'POST /instances/{id}/stop, when the call returns' },
  'compute#stop/status-code': { where: 'POST /instances/{id}/stop, status of success' },
  'compute#stop/stopped': { where: 'POST /instances/{id}/stop, already stopped' },
  'compute#stop/conflict': { where: 'POST /instances/{id}/stop, 409' },

  'compute#terminate': { where: 'Terminate, heading' },
  'compute#terminate/path': {
    where: 'Terminate, path',
    excluded: 'Not shown: the target file names it.',
  },
  'compute#terminate/id': { where: 'Terminate, path parameter' },
  'compute#terminate/body': { where: 'Terminate, optional body with reason_note' },
  'compute#terminate/response': { where: 'Terminate, shape of the answer' },
  'compute#terminate/by-state': {
    where: 'Terminate, reference to the States table',
    excluded: 'A reference: each row of the table is judged there.',
  },
  'compute#terminate/conflict': { where: 'Terminate, when 409 applies' },
  'compute#terminate/gone': { where: 'Terminate, 500 while the resource is gone' },

  'compute#get': { where: 'GET /instances/{id}, what it gives' },
  'compute#get/not-found': { where: 'GET /instances/{id}, 404' },
  'compute#get/body': { where: 'GET /instances/{id}, body shape' },

  'compute#start': { where: 'Start an instance, that it exists' },
  'compute#start/not-shown': { where: 'Start an instance, what is not shown' },
} as const satisfies Readonly<Record<string, Clause>>;
