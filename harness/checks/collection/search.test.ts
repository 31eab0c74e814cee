import { expect, test } from 'vitest';
import {
  absentPatterns,
  fillingSigns,
  hasWord,
  isSearchable,
  searchedTexts,
  signsSelectNone,
  telling,
  textApart,
  textsApart,
  textsElsewhere,
  wildcardsFor,
} from './search.ts';
import { exchangeOf } from '../compute/exchange.test.support.ts';
import { outcomeOf } from '../compute/verdicts.test.support.ts';
import type { Part } from './bracket.ts';

test('one record for each kind of text, and none twice', () => {
  const names = ['plain', 'other', "o'brien", '100% sure', 'notebook 🚀', 'zürich'];
  expect(telling(names)).toEqual(['notebook 🚀', "o'brien", '100% sure', 'plain', 'zürich']);
});

test('records with characters that no other has, as many as are needed', () => {
  const names = ['zürich', 'é', 'ü', 'ö é', 'plain', 'ñ'];
  expect(telling(names)).toEqual(['zürich', 'ö é', 'ñ']);
});

const patternsOf = (...names: readonly string[]) => absentPatterns(names, names);

test('patterns that only a wildcard would find', () => {
  expect(patternsOf('node', 'trainer 7')).toEqual(['ra%er', 'ra*er', 'ra.*er']);
  expect(patternsOf('inference')).toEqual(['nf%ce', 'nf*ce', 'nf.*ce', 'nf____ce']);
  expect(patternsOf('train', 'dev')).toEqual([]);
});

test('patterns from one word or number to another, where none is long', () => {
  expect(patternsOf('train-beta-12')).toEqual(['ra%ta', 'ra*ta', 'ra.*ta', 'ra_____ta']);
  expect(patternsOf('RTX 4090')).toEqual(['TX%90', 'TX*90', 'TX.*90', 'TX___90']);
  expect(patternsOf('H100-SXM')).toEqual(['00%XM', '00*XM', '00.*XM']);
  expect(patternsOf('train-beta', 'ramp')).toEqual([]);
  expect(patternsOf('a-b-c', 'L40S')).toEqual([]);
});

test('no pattern of which a part begins a word', () => {
  expect(patternsOf('trainer 7', 'ra*er')).toEqual([]);
  expect(patternsOf('notebook', 'okra')).toEqual([]);
  expect(patternsOf('notebook', 'other')).toEqual([]);
  expect(patternsOf('trainer', 'ermine')).toEqual(['rm%ne', 'rm*ne', 'rm.*ne']);
  expect(absentPatterns(['trainer'], ['trainer', 'ERP'])).toEqual([]);
});

test('a text can be searched for whole as long as it is short in bytes, and Unicode', () => {
  expect(isSearchable('é'.repeat(127))).toBe(true);
  expect(isSearchable('é'.repeat(128))).toBe(false);
  expect(isSearchable('crew\uD83D')).toBe(false);
  expect(isSearchable('crew 🚀')).toBe(true);
});

test('texts of other members are taken when nothing that is searched resembles them', () => {
  const record = (name: string, status: string) => ({
    name,
    status,
    region: 'FR',
    gpu_type: 'H100',
    size: 'gp.h100-x4',
    instance_id: 'ab12cd34',
  });
  expect(textsElsewhere([record('web-1', 'RUNNING')])).toEqual(['ab12cd34', 'RUNNING']);
  expect(textsElsewhere([record('run-b12', 'RUNNING')])).toEqual([]);
  expect(textsElsewhere([record('training', 'RUNNING'), record('web', 'STOPPED')])).toEqual([
    'ab12cd34',
    'STOPPED',
  ]);
});

test('a text apart has three letters, and none in a row with what is searched', () => {
  const texts = searchedTexts([{ name: 'sparrow', region: 'FR', gpu_type: 'H100' }]);
  expect(texts).toEqual(['sparrow', 'FR', 'H100']);
  expect(textApart(texts, ['par-1', 'FR', 'dxb-1', 'lab-1'])).toEqual(['dxb-1']);
  expect(textApart(texts, ['par-1', 'US', ''])).toEqual([]);
});

test('a text apart shares no word, however short', () => {
  const texts = searchedTexts([{ name: 'web-1', region: 'US', gpu_type: 'H100' }]);
  expect(textApart(texts, ['us-east-2', 'East US', 'dxb-1', 'lab-3'])).toEqual(['lab-3']);
  expect(textApart(texts, ['east-2us'])).toEqual(['east-2us']);
});

test.each([
  ['trainer', true],
  ['a-b-c1', false],
  ['---', false],
  ['🤖🚀', false],
  ['日本語', true],
  ['x 100%', true],
  ['', false],
])('%s has a word: %j', (text, expected) => {
  expect(hasWord(text)).toBe(expected);
});

test('words of members that are not searched, unless they speak of hardware that is', () => {
  const one = { name: 'web-1', gpu_type: 'H100', resources: '2 x NVIDIA, 8 vCPU' };
  expect(textsElsewhere([one])).toEqual(['vcpu']);
  expect(textsElsewhere([{ ...one, name: 'vcpu-test' }])).toEqual([]);
  expect(textsElsewhere([{ name: 'web-1', termination_reason: 'Out of credits.' }])).toEqual([
    'credits',
  ]);
  const sizes = ['h100.8x.metal', 'h100.4xlarge'].map((size) => ({ ...one, resources: '', size }));
  expect(textsElsewhere(sizes)).toEqual(['metal']);
});

test('wildcards for a name', () => {
  expect(wildcardsFor('H 100')).toEqual(['%', '*', '.*', 'H _00', 'H ?00', 'H .00']);
  expect(wildcardsFor('日本')).toEqual(['%', '*', '.*']);
});

test('several texts are apart, each once', () => {
  const texts = ['node-1', 'FR'];
  expect(textsApart(texts, ['par-1', 'dxb-2', 'dxb-2', 'node', 'mrs', 'iad-3'], 2)).toEqual([
    'dxb-2',
    'mrs',
  ]);
});

function part(...names: readonly string[]): Part {
  const records = names.map((name) => ({ instance_id: name, name }));
  return { ids: names, records, end: 'last-page', exchanges: [exchangeOf()] };
}

const all = part('web', '100% sure', 'a_b');

test.each([
  ['held', all, part(), '%'],
  ['held', all, part('100% sure'), '%'],
  ['held', all, part('100% sure', 'a_b'), '_%'],
  ['violated', all, part('100% sure', 'web'), '%'],
  ['violated', all, all, '.*'],
  ['vacuous', part(), part(), '*'],
] as const)('%s', (expected, whole, found, signs) => {
  const judgement = signsSelectNone(whole, found, signs, [], ({ name }) => [String(name)]);
  expect(outcomeOf(judgement)).toBe(expected);
});

test('a search that gives what an empty one gives left the signs out', () => {
  const judged = (found: Part) =>
    outcomeOf(signsSelectNone(all, found, '%', all.ids, ({ name }) => [String(name)]));
  expect(judged(all)).toBe('vacuous');
  expect(judged(part('web'))).toBe('violated');
});

test('as many signs as the longest text has tell a wildcard from signs that are left out', () => {
  expect(fillingSigns([['ab', 'c'], ['abcd']])).toEqual(['____', '....', '????']);
  expect(fillingSigns([['ab'], ['cd']])).toEqual([]);
});
