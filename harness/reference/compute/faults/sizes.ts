/** Page sizes that are taken although they are none, and sizes that are refused although they are. */

import type { Fault } from '../../fault.ts';
import { invalid } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import { replace, faultTable } from './answering.ts';

type List = 'list-instances' | 'presets';

/** Name, the sizes that it takes for another one, and the slug of the requirement. */
const taken: readonly (readonly [string, RegExp, (text: string) => number, string])[] = [
  ['zero-is-taken-for-the-default', /^0$/u, () => 50, 'size-zero'],
  ['minus-one-is-taken-for-all', /^-1$/u, () => 200, 'size-negative'],
  [
    'negative-loses-its-sign',
    /^-\d{2,}$/u,
    (text) => Math.min(200, -Number(text)),
    'size-negative',
  ],
  ['201-is-served', /^201$/u, () => 201, 'size-above-maximum'],
  [
    'above-maximum-is-clamped',
    /^(?:20[2-9]|2[1-9]\d|[3-9]\d\d|\d{4,9})$/u,
    () => 200,
    'size-above-maximum',
  ],
  ['32-bits-wrap', /^4294967297$/u, () => 1, 'size-overflow'],
  ['64-bits-wrap', /^18446744073709551617$/u, () => 1, 'size-overflow'],
  ['fraction-is-cut', /^\d+\.[1-9]$/u, (text) => Math.floor(Number(text)), 'size-fraction'],
  ['word-is-taken-for-the-default', /^[a-z]+$/u, () => 50, 'size-not-a-number'],
];

function takes(list: List, [what, sizes, size, slug]: (typeof taken)[number]): Fault<ComputeRules> {
  return {
    name: `${list}-size-${what}`,
    summary: `A size of ${list} that is no page size is served: ${what.replaceAll('-', ' ')}.`,
    breaks: [`compute.${list}.${slug}`],
    patch: (rules) => ({
      ...rules,
      parseSize: (text, context) =>
        context.operation === list && sizes.test(text)
          ? size(text)
          : rules.parseSize(text, context),
    }),
  };
}

function refuses(list: List, text: string, breaks: readonly string[]): Fault<ComputeRules> {
  return {
    name: `${list}-size-${text}-is-refused`,
    summary: `A size of ${text} is refused by ${list}.`,
    breaks,
    patch: (rules) => ({
      ...rules,
      parseSize: (asked, context) => {
        if (context.operation === list && asked === text) throw invalid(`size may not be ${text}.`);
        return rules.parseSize(asked, context);
      },
    }),
  };
}

function standardSize(size: number, ...also: readonly string[]): Fault<ComputeRules> {
  return {
    name: `default-size-is-${size}`,
    summary: `Without a size, a page of instances is made for ${size}.`,
    breaks: ['compute.list-instances.size-default', 'compute.pagination.size-echo', ...also],
    patch: (rules) => ({ ...rules, instancePageSize: () => size }),
  };
}

export const sizeFaults = [
  ...faultTable({
    'compute.list-instances.size-maximum': {
      'instances-page-of-200-is-too-large': replace('parseSize', (original, asked, context) => {
        if (context.operation === 'list-instances' && context.query === 'size=200') {
          throw invalid('size may not be 200.');
        }
        return original(asked, context);
      }),
    },
    'compute.presets.size-maximum': {
      'presets-page-of-200-is-too-large': replace('parseSize', (original, asked, context) => {
        if (context.operation === 'presets' && context.query === 'size=200') {
          throw invalid('size may not be 200.');
        }
        return original(asked, context);
      }),
    },
    'compute.list-instances.size-default': {
      'default-size-is-said-and-not-served': {
        says: 'Without a size, a page says 50 and holds 51 instances.',
        besides: ['compute.pagination.page-within-size'],
        patch: replace('selectInstances', (original, query, after, context) =>
          original(
            context.query === '' ? { ...query, size: query.size + 1 } : query,
            after,
            context,
          ),
        ),
      },
    },
  }),
  ...(['list-instances', 'presets'] as const).flatMap((list) =>
    taken.map((one) => takes(list, one)),
  ),
  refuses('list-instances', '1', [
    'compute.list-instances.size-minimum',
    'compute.pagination.walk-size-1',
    'compute.pagination.walk-without-gaps',
  ]),
  refuses('presets', '1', ['compute.presets.size-minimum']),
  ...(
    [
      ['list-instances', 'instances', 'list-instances'],
      ['presets', 'presets', 'presets'],
    ] as const
  ).flatMap(([operation, what, section]) =>
    faultTable({
      [`compute.${section}.size-not-a-number`]: {
        [`size-of-${what}-is-read-up-to-its-first-letter`]: replace(
          'parseSize',
          (original, asked, context) =>
            original(
              context.operation === operation ? asked.replace(/(?<=^\d+)[a-z].*$/u, '') : asked,
              context,
            ),
        ),
      },
    }),
  ),
  ...(['list-instances', 'presets'] as const).flatMap((list) =>
    faultTable({
      [`compute.${list}.size-above-maximum`]: {
        [`${list}-size-above-200-is-cut-beside-a-cursor`]: (rules) => ({
          parseSize: (asked, context) =>
            context.operation === list &&
            Number(asked) > 200 &&
            rules.readParameter('cursor', context) !== undefined
              ? 200
              : rules.parseSize(asked, context),
        }),
      },
    }),
  ),
  standardSize(51, 'compute.pagination.page-within-size'),
  standardSize(20),
];
