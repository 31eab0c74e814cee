/** GET /instances/{id}, stop, terminate, start, and the making of instances. */

import { randomUUID } from 'node:crypto';
import { type Answer, type RequestContext, callerOf } from '../context.ts';
import type { Instance } from '../model.ts';
import { Refusal, errorCodes, invalid, notFound } from '../refusal.ts';

/** GET /instances/{id} */
export function getInstance(context: RequestContext): Answer {
  const instance = context.rules.findInstance(context);
  if (instance.state === 'TERMINATED' && !context.choices.terminatedReadable) throw notFound();
  return { status: 200, headers: [], json: context.rules.singleRecord(instance, context) };
}

/** POST /instances/{id}/stop */
export function stopInstance(context: RequestContext): Answer {
  const { rules, choices } = context;
  const instance = instanceAndNote(context);
  const before = answerBefore(instance, context);
  switch (rules.stopOutcome(instance, context)) {
    case 'conflict':
      throw rules.conflict(`The instance is ${instance.state}.`, context);
    case 'stop':
      rules.beginStop(instance, context);
      break;
    case 'ignore':
      break;
  }
  return accepted(choices.stopStatus, instance, before, context);
}

/** POST, at a path of this deployment's choice. */
export function terminateInstance(context: RequestContext): Answer {
  const { rules, choices } = context;
  const instance = instanceAndNote(context);
  const before = answerBefore(instance, context);
  switch (rules.terminateOutcome(instance, context)) {
    case 'conflict':
      throw rules.conflict('The instance is TERMINATED.', context);
    case 'gone':
      throw new Refusal(500, errorCodes[500], 'The resource is gone, and the instance settles.');
    case 'reissue':
      rules.reissueTerminate(instance, context);
      break;
    case 'terminate':
      rules.beginTerminate(instance, context);
      break;
  }
  return accepted(choices.terminateStatus, instance, before, context);
}

/** Starts a stopped instance; all of it is this deployment's choice. */
export function startInstance(context: RequestContext): Answer {
  const { rules, choices } = context;
  const instance = rules.findInstance(context);
  const before = answerBefore(instance, context);
  switch (rules.startOutcome(instance, context)) {
    case 'conflict':
      throw rules.conflict(`The instance is ${instance.state}.`, context);
    case 'start':
      rules.beginStart(instance, context);
      break;
    case 'ignore':
      break;
  }
  if (choices.startAnswers === 'nothing') {
    return { status: choices.startStatus, headers: [], json: undefined };
  }
  return accepted(choices.startStatus, instance, before, context);
}

/** Makes an instance of the caller: `{name?, sku?, region?}`. All of it is this deployment's choice. */
export function provision(context: RequestContext): Answer {
  const body = context.rules.parseBody(context);
  const wishes: Partial<Record<string, unknown>> =
    typeof body === 'object' && body !== null ? { ...body } : {};
  const preset = context.world.presets.find(
    ({ sku, region }) =>
      region !== undefined &&
      (wishes['sku'] === undefined || sku === wishes['sku']) &&
      (wishes['region'] === undefined || region === wishes['region']),
  );
  if (preset === undefined) throw invalid('There is no such preset.');
  const { name } = wishes;
  const instance = context.world.create(callerOf(context).name, {
    id: randomUUID(),
    name: typeof name === 'string' && name !== '' ? name : 'unnamed',
    preset,
    origin: 'provision',
  });
  context.rules.moveOn(instance, context.deployment);
  return {
    status: context.choices.provisionStatus,
    headers: [],
    json: { id: instance.id, name: instance.name, status: instance.state },
  };
}

/** Finds the instance and reads the note; which of the two is refused first is open. */
function instanceAndNote(context: RequestContext): Instance {
  const { rules } = context;
  if (context.choices.precedence === 'request-first') rules.readReasonNote(context);
  const instance = rules.findInstance(context);
  rules.readReasonNote(context);
  return instance;
}

/** The record before anything is done, where this deployment shows that. */
function answerBefore(instance: Instance, context: RequestContext): unknown {
  return context.choices.answerShows === 'before'
    ? context.rules.actionRecord(instance, context.now, context)
    : undefined;
}

function accepted(
  status: number,
  instance: Instance,
  before: unknown,
  context: RequestContext,
): Answer {
  const record = before ?? context.rules.actionRecord(instance, context.now, context);
  return { status, headers: [], json: record };
}
