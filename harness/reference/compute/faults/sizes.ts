/** Page sizes that are taken although they are none, and sizes that are refused although they are. */

import { invalid } from '../model.ts';
import { fails, faultTable, forces, replace } from './words.ts';

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

const lists = (['list-instances', 'presets'] as const).flatMap((list) => {
  const what = list === 'presets' ? 'presets' : 'instances';
  return [
    ...taken.flatMap(([name, sizes, size, slug]) =>
      faultTable(`compute.${list}`, {
        [`${slug}: ${list}-size-${name}`]: forces(
          'parseSize',
          size,
          (text, { operation }) => operation === list && sizes.test(text),
        ),
      }),
    ),
    ...faultTable(`compute.${list}`, {
      [`size-maximum: ${what}-page-of-200-is-too-large`]: fails(
        'parseSize',
        () => invalid('size may not be 200.'),
        (_asked, { operation, query }) => operation === list && query === 'size=200',
      ),
      [`size-minimum: ${list}-size-1-is-refused`]: {
        besides:
          list === 'presets'
            ? []
            : ['compute.pagination.walk-size-1', 'compute.pagination.walk-without-gaps'],
        patch: fails(
          'parseSize',
          () => invalid('size may not be 1.'),
          (asked, { operation }) => operation === list && asked === '1',
        ),
      },
      [`size-not-a-number: size-of-${what}-is-read-up-to-its-first-letter`]: replace(
        'parseSize',
        (original, asked, context) =>
          original(
            context.operation === list ? asked.replace(/(?<=^\d+)[a-z].*$/u, '') : asked,
            context,
          ),
      ),
      [`size-above-maximum: ${list}-size-above-200-is-cut-beside-a-cursor`]: forces(
        'parseSize',
        200,
        (asked, { operation, query }) =>
          operation === list && Number(asked) > 200 && query.includes('cursor='),
      ),
    }),
  ];
});

export const sizesFaults = [
  ...faultTable('compute.list-instances', {
    'size-above-maximum: size-above-200-is-cut-beside-a-sort': forces(
      'parseSize',
      200,
      (text, context) =>
        context.operation === 'list-instances' &&
        Number(text) > 200 &&
        context.query.includes('sort_field='),
    ),
    'size-zero: size-zero-is-the-default-beside-a-status': (rules) => ({
      parseSize: (text, context) =>
        text === '0' && rules.readParameter('status', context) !== undefined
          ? rules.instancePageSize()
          : rules.parseSize(text, context),
    }),
    'size-default + compute.pagination.page-within-size: default-size-is-said-and-not-served':
      replace('selectInstances', (original, query, after, context) =>
        original(context.query === '' ? { ...query, size: query.size + 1 } : query, after, context),
      ),
    'size-default: default-size-is-51': {
      besides: ['compute.pagination.size-echo', 'compute.pagination.page-within-size'],
      patch: () => ({ instancePageSize: () => 51 }),
    },
  }),
  ...faultTable('compute.presets', {
    'size-above-maximum: presets-size-above-200-is-cut-in-a-region': (rules) => ({
      parseSize: (text, context) =>
        context.operation === 'presets' &&
        Number(text) > 200 &&
        rules.readParameter('region', context) !== undefined
          ? 200
          : rules.parseSize(text, context),
    }),
  }),
  ...lists,
];
