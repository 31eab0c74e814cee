/** The words that compute faults are written in: how they reach into answers, and who is in the account of a caller. */

import { type Answer, callerOf, type ComputeRules, type RequestContext } from '../context.ts';
import {
  type Account,
  type Cursor,
  type Instance,
  type InstanceQuery,
  type InstanceSortField,
  type InstanceState,
  type Operation,
  type PresetQuery,
  Refusal,
  type SortKey,
} from '../model.ts';
import { faultLanguage, type Patch as PatchOf } from '../../fault.ts';

/** Instances that were started before, as a deployment with these rules meets them. */
export function startedBefore(rules: ComputeRules): {
  readonly started: ReadonlySet<Instance>;
  readonly rules: ComputeRules;
} {
  const started = new Set<Instance>();
  return {
    started,
    rules: {
      ...rules,
      beginStart: (instance, context) => {
        started.add(instance);
        rules.beginStart(instance, context);
      },
    },
  };
}

export type Patch = PatchOf<ComputeRules>;

export const { replace, forces, fails, amend, chained, faultTable } = faultLanguage<ComputeRules>();

export type Body = Readonly<Record<string, unknown>>;

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Every answer, changed. */
export function answering(change: (answer: Answer, context: RequestContext) => Answer): Patch {
  return (rules) => ({
    onResponse: async (context, answer) => change(await rules.onResponse(context, answer), context),
  });
}

/** The JSON of successful answers to one operation, changed. */
export function succeeding(
  operation: NonNullable<RequestContext['operation']>,
  change: (json: Body, context: RequestContext) => unknown,
): Patch {
  return answering((answer, context) =>
    context.operation === operation && isSuccess(answer) && isBody(answer.json)
      ? { ...answer, json: change(answer.json, context) }
      : answer,
  );
}

/** The error object of every envelope, changed; what is returned takes the place of the whole body. */
export function enveloping(
  change: (error: Body, refusal: Refusal, context: RequestContext) => unknown,
): Patch {
  return amend('errorEnvelope', (envelope, refusal, context) => {
    const error = isBody(envelope) ? envelope['error'] : undefined;
    return isBody(error) ? change(error, refusal, context) : envelope;
  });
}

/** The refusals of a deployment, replaced before they become an answer. */
export function refusing(change: (refusal: Refusal, context: RequestContext) => Refusal): Patch {
  return replace('refusalOf', (original, error, context) =>
    change(original(error, context), context),
  );
}

/** The refusal that an action ends in; undefined when it succeeds. Other errors pass. */
export function refusalIn(act: () => unknown): Refusal | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** A deployment that takes what no cursor is for a cursor. */
export function taking(
  list: Cursor['list'],
  instead: (text: string, context: RequestContext) => Cursor,
): Patch {
  return replace('decodeCursor', (original, text, of, context) => {
    if (of !== list) return original(text, of, context);
    const refusal = refusalIn(() => original(text, of, context));
    return refusal === undefined ? original(text, of, context) : instead(text, context);
  });
}

/** What no cursor that is read back may hold: JSON has no such number. */
export const unknownInstanceId = { key: undefined, place: Number.NaN } as const;

export type When = (context: RequestContext) => boolean;

/** Records of lists, changed. */
export function listing(
  change: (record: Body, instance: Instance, query: InstanceQuery | undefined) => Body,
): Patch {
  return replace('listRecord', (original, instance, at, context, query) =>
    change(original(instance, at, context, query), instance, query),
  );
}

/** A conforming deployment whose teardowns free the resource at once, so that a repeated terminate meets a 500. */
export function goneAtOnce(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    isResourceGone: (instance) => instance.state === 'TERMINATING' && !instance.stranded,
  };
}

/** True for what has stopped since it was made in this run. */
export function hasJustStopped({ state, origin }: Instance): boolean {
  return state === 'STOPPED' && origin === 'provision';
}

/** Instances are selected by another query than the one that was asked. */
export function instancesBy(change: (query: InstanceQuery) => InstanceQuery): Patch {
  return replace('selectInstances', (original, query, after, context) =>
    original(change(query), after, context),
  );
}

/** Presets are selected by another query than the one that was asked. */
export function presetsBy(change: (query: PresetQuery) => PresetQuery): Patch {
  return replace('selectPresets', (original, query, after, context) =>
    original(change(query), after, context),
  );
}

/** Requests that a key has, and the seconds in which they come back. */
export const LIMIT = { requests: 40, perSeconds: 1 } as const;

/** A conforming deployment that limits how often a key may read the regions, so that a fault of the limit can be met. */
export function limited(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    takeRequest: (key, context) =>
      context.operation === 'regions'
        ? rules.takeRequest(key, {
            ...context,
            deployment: { ...context.deployment, rateLimit: LIMIT },
          })
        : undefined,
  };
}

export type Matcher =
  | 'matchesStatus'
  | 'matchesRegion'
  | 'matchesGpuType'
  | 'matchesDateBegin'
  | 'matchesDateEnd'
  | 'searchMatches';

/** A filter that does not count under some queries. */
export function forgets(matcher: Matcher, when: (query: InstanceQuery) => boolean): Patch {
  return (rules) => ({
    [matcher]: (instance: Instance, query: InstanceQuery, context: RequestContext) =>
      when(query) || rules[matcher](instance, query, context),
  });
}

/** Searches for some characters are more than the deployment can stand. */
export function crashingSearch(operation: 'list-instances' | 'presets', characters: RegExp): Patch {
  return fails(
    'parseFreeText',
    () => new Error('The database refused the text.'),
    (_name, text, context) => context.operation === operation && characters.test(text),
  );
}

export type QueryTest = (query: InstanceQuery) => boolean;

/** Sorts by a field go by another key. */
export function goesBy(
  field: InstanceSortField,
  key: (right: SortKey, instance: Instance) => SortKey,
  when: QueryTest = () => true,
): Patch {
  return amend('instanceSortKey', (right, instance, asked, query) =>
    asked === field && when(query) ? key(right, instance) : right,
  );
}

/** A word that the parameter does not know is taken for `word`. */
export function takesUnknownFor(
  operation: Operation,
  parameter: 'sort_field' | 'sort_direction',
  word: string,
): Patch {
  return (rules) => ({
    ...rules,
    parseWord: (name, text, words, context) =>
      name === parameter && context.operation === operation
        ? (words.find((known) => known === text) ?? rules.parseWord(name, word, words, context))
        : rules.parseWord(name, text, words, context),
  });
}

/** Fields by which only the other list can be sorted are taken for `word`. */
export function takesFieldsOfOthersFor(
  operation: Operation,
  others: readonly string[],
  word: string,
): Patch {
  return (rules) => ({
    ...rules,
    parseWord: (name, text, words, context) => {
      const isOthers = name === 'sort_field' && others.includes(text);
      return isOthers && context.operation === operation && !words.some((known) => known === text)
        ? rules.parseWord(name, word, words, context)
        : rules.parseWord(name, text, words, context);
    },
  });
}

/** Some values of the region filter are refused. */
export function refusesRegion(
  operation: Operation,
  refused: (text: string, context: RequestContext) => boolean,
  refusal: () => Error,
): Patch {
  return fails(
    'parseRegion',
    () => refusal(),
    (text, context) => context.operation === operation && refused(text, context),
  );
}

/** Longer than many a column. */
export const LONG = 40;

/** Whether a text is longer than what is kept in columns of names. */
export function isLong(text: string): boolean {
  return text.length > LONG;
}

/** Whether a text ends a quotation too early. */
export function hasQuote(text: string): boolean {
  return /['"]/u.test(text);
}

/** Whether a text is neither a region code nor a location. */
export function isNowhere(text: string, { world }: RequestContext): boolean {
  return (
    !['UAE', 'FR', 'US'].includes(text) && !world.presets.some(({ location }) => location === text)
  );
}

/** In a search for nothing but underscores each stands for any sign. */
export function anySigns(operation: 'list-instances' | 'presets') {
  return (rules: ComputeRules): ComputeRules => ({
    ...rules,
    textMatches: (field, text, context) =>
      context.operation === operation && /^_+$/u.test(text)
        ? field.length >= text.length
        : rules.textMatches(field, text, context),
  });
}

/** Instances of an account that the largest page does not show whole. */
export const MORE_THAN_A_PAGE = 230;

/** The caller's own instances, oldest first. */
export function instancesOf(context: RequestContext): readonly Instance[] {
  return callerOf(context).instances;
}

/** The account of another key: the second one for everybody but itself. */
export function otherAccount(context: RequestContext): Account {
  return context.world.accountOf(context.key?.role === 'second' ? 'primary' : 'second');
}

export const isSecond = ({ key }: RequestContext): boolean => key?.role === 'second';

/** Milliseconds for which an instance stays in a state that is on its way. */
export const STAY_MS = 400;

/** In TERMINATING longer: what is wrong with it shows only well before its end. */
export const TEARDOWN_MS = 1_000;

/** A conforming deployment that takes its time between states, so that each of them can be met. */
export function slowly(rules: ComputeRules, ...states: readonly InstanceState[]): ComputeRules {
  return {
    ...rules,
    successor: (instance, deployment) => {
      const next = rules.successor(instance, deployment);
      return next !== undefined && states.includes(instance.state)
        ? {
            ...next,
            delayMs: Math.max(
              next.delayMs,
              instance.state === 'TERMINATING' ? TEARDOWN_MS : STAY_MS,
            ),
          }
        : next;
    },
  };
}

/** An action on an id that exists nowhere succeeds. */
export function unknownAnswers(
  operation: 'stop-instance' | 'terminate-instance' | 'start-instance',
  status: number,
): Patch {
  return (rules) => ({
    operate: {
      ...rules.operate,
      [operation]: (context: Parameters<typeof rules.findInstance>[0]) => {
        const id = context.pathParameters['id'] ?? '';
        return rules.isInstanceId(id, context) && context.world.instance(id) === undefined
          ? { status, headers: [], json: undefined }
          : rules.operate[operation](context);
      },
    },
  });
}

/** Text as the LIKE of a database reads it. */
export function likePattern(text: string): string {
  return text
    .replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
}

export function isLike(field: string, text: string): boolean {
  return new RegExp(`^${likePattern(text)}$`, 'su').test(field);
}

/** A search that takes what it is asked for as a regular expression, where it is one. */
export function asExpression(operation: 'list-instances' | 'presets'): Patch {
  return amend('textMatches', (asText, field, text, context) => {
    if (asText || context.operation !== operation) return asText;
    try {
      return new RegExp(text, 'isu').test(field);
    } catch {
      return false;
    }
  });
}
