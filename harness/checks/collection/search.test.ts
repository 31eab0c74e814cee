import { expect, test } from 'vitest';
import { exchangeOf } from '../compute/exchange.test.support.ts';
import { notObserved } from '../judgement.ts';
import { testVerdicts } from '../verdict.test.support.ts';
import type { Part } from './bracket.ts';
import { selectsNone } from './filter.ts';
import {
  absentPatterns,
  fillingSigns,
  hasWord,
  isSearchable,
  onlyInOrder,
  searchedTexts,
  signsSelectNone,
  representative,
  textsApart,
  textsElsewhere,
  turnedRound,
  wildcardsFor,
} from './search.ts';

test('one record for each kind of text, and others for characters that none of those has', () => {
  const names = ['plain', 'other', "o'brien", '100% sure', 'notebook 🚀', 'zürich'];
  expect(representative(names)).toEqual(['notebook 🚀', "o'brien", '100% sure', 'plain', 'zürich']);
  const more = ['zürich', 'é', 'ü', 'ö é', 'plain', 'ñ'];
  expect(representative(more)).toEqual(['zürich', 'ö é', 'ñ']);
  expect(representative(['a name', 'a far longer name', 'last'])).toContain('a far longer name');
});

test.for([
  ['node,trainer 7', 'ra%er ra*er ra.*er'],
  ['inference', 'nf%ce nf*ce nf.*ce nf____ce'],
  ['train,dev', ''],
  // From one word or number to another, where none is long.
  ['train-beta-12', 'ra%ta ra*ta ra.*ta ra_____ta'],
  ['RTX 4090', 'TX%90 TX*90 TX.*90 TX___90'],
  ['H100-SXM', '00%XM 00*XM 00.*XM'],
  ['train-beta,ramp', ''],
  ['a-b-c,L40S', ''],
  // A piece that begins some word is not used.
  ['trainer 7,ra*er', ''],
  ['notebook,okra', ''],
  ['notebook,other', ''],
  ['trainer,ermine', 'rm%ne rm*ne rm.*ne'],
] as const)('patterns for %s that only a wildcard would find: %s', ([names, patterns]) => {
  const texts = names.split(',');
  expect(absentPatterns(texts, texts).join(' ')).toBe(patterns);
});

test('a pattern whose pieces are found in both orders is not judged', () => {
  expect(turnedRound('ra.*er')).toBe('er.*ra');
  const found = selectsNone(part('a', 'b'), part('a'), 'ra*er');
  expect(onlyInOrder(found, part('a'), part('a', 'b'))).toBe(notObserved);
  expect(onlyInOrder(found, part('a'), part('b'))).toBe(found);
  const none = selectsNone(part('a'), part(), 'ra*er');
  expect(onlyInOrder(none, part(), part())).toBe(none);
});

test('no pattern of which a part begins another text that is searched', () => {
  expect(absentPatterns(['trainer'], ['trainer', 'ERP'])).toEqual([]);
});

test.for([
  // Short in bytes, and Unicode.
  [isSearchable, true, ['é'.repeat(127), 'crew 🚀']],
  [isSearchable, false, ['é'.repeat(128), 'crew\uD83D']],
  [hasWord, true, ['trainer', '日本語', 'x 100%']],
  [hasWord, false, ['a-b-c1', '---', '🤖🚀', '']],
] as const)('%o is %j of each of %j', ([says, expected, texts]) => {
  expect(texts.map(says)).toEqual(texts.map(() => expected));
});

const hardware = { region: 'FR', gpu_type: 'H100', size: 'gp.h100-x4', instance_id: 'ab12cd34' };
const instance = (name: string, status: string) => ({ name, status, ...hardware });
const words = { name: 'web-1', gpu_type: 'H100', resources: '2 x NVIDIA, 8 vCPU' };

const bare = { ...words, resources: '' };

test.for<readonly [found: string, ...Parameters<typeof textsElsewhere>[0]]>([
  ['ab12cd34 RUNNING', instance('web-1', 'RUNNING')],
  ['', instance('run-b12', 'RUNNING')],
  ['ab12cd34 STOPPED', instance('training', 'RUNNING'), instance('web', 'STOPPED')],
  // Words of members that are not searched, unless they describe hardware that is searched.
  ['vcpu', words],
  ['', { ...words, name: 'vcpu-test' }],
  ['starting', { name: 'web-1', guest_ready: 'starting' }],
  ['10000', { name: 'web-1', bandwidth: 10_000 }],
  ['booting', { name: 'web-1', guest_ready_reason: 'It is booting.' }],
  ['credits', { name: 'web-1', termination_reason: 'Out of credits.' }],
  ['metal', { ...bare, size: 'h100.8x.metal' }, { ...bare, size: 'h100.4xlarge' }],
])('what nothing that is searched resembles: %s', ([found, ...records]) => {
  expect(textsElsewhere(records).join(' ')).toBe(found);
});

test('a text apart has three letters in a row, none of them in what is searched, and no word of it', () => {
  const sparrow = searchedTexts([{ name: 'sparrow', region: 'FR', gpu_type: 'H100' }]);
  expect(sparrow).toEqual(['sparrow', 'FR', 'H100']);
  expect(textsApart(sparrow, ['par-1', 'FR', 'dxb-1', 'lab-1'], 1)).toEqual(['dxb-1']);
  expect(textsApart(sparrow, ['par-1', 'US', ''], 1)).toEqual([]);
  const web = searchedTexts([{ name: 'web-1', region: 'US', gpu_type: 'H100' }]);
  expect(textsApart(web, ['us-east-2', 'East US', 'dxb-1', 'lab-3'], 1)).toEqual(['lab-3']);
  expect(textsApart(web, ['east-2us'], 1)).toEqual(['east-2us']);
  const several = ['par-1', 'dxb-2', 'dxb-2', 'node', 'mrs', 'iad-3'];
  expect(textsApart(['node-1', 'FR'], several, 2)).toEqual(['dxb-2', 'mrs']);
});

test('wildcards for a name', () => {
  expect(wildcardsFor('H 100')).toEqual(['%', '*', '.*', 'H _00', 'H ?00', 'H .00']);
  expect(wildcardsFor('日本')).toEqual(['%', '*', '.*']);
});

test('as many signs as the longest text has tell a wildcard from signs that are left out', () => {
  expect(fillingSigns([['ab', 'c'], ['abcd']])).toEqual(['____', '....', '????']);
  expect(fillingSigns([['ab'], ['cd']])).toEqual([]);
});

function part(...names: readonly string[]): Part {
  const records = names.map((name) => ({ instance_id: name, name }));
  return { ids: names, records, end: 'last-page', exchanges: [exchangeOf()] };
}

const all = part('web', '100% sure', 'a_b');
const found = (signs: string, some: Part, whole = all, empty: readonly string[] = []) =>
  signsSelectNone(whole, some, signs, empty, ({ name }) => [String(name)]);

testVerdicts([
  ['signs in nothing', 'held', found('%', part())],
  ['signs in a name', 'held', found('%', part('100% sure')), found('_%', part('100% sure', 'a_b'))],
  ['signs for any', 'broken', found('%', part('100% sure', 'web')), found('.*', all)],
  ['signs where nothing is', 'unseen', found('*', part(), part())],
  // A search that gives the same as an empty one ignored the punctuation.
  ['signs left out', 'unseen', found('%', all, all, all.ids)],
  ['signs not left out', 'broken', found('%', part('web'), all, all.ids)],
]);
