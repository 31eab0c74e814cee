import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  attestationText,
  keyFingerprint,
  opened,
  seal,
  statement,
  statementOf,
  Unattestable,
} from './attestation.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { hostileReport } from '../hostile.test.support.ts';
import { reportToJson } from '../formats/json.ts';
import {
  sampleFinding,
  type SampleInput,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';

const id = 'compute.list.size';
const implied = 'compute.list.implied';
const held = { seen: { [id]: 1, [implied]: 1 } };

function report(outcome: Partial<CaseOutcome>, run = {}, more: SampleInput = {}) {
  return sampleReport({
    catalogue: [id, sampleRequirement(implied, { strength: 'implied' })],
    outcomes: [outcome],
    run,
    profiles: { compute: [{ name: 'read-only', stated: [id] }] },
    ...more,
  });
}

function stated(...given: Parameters<typeof report>) {
  const made = report(...given);
  return statementOf(made, reportToJson(made), 'conformance.json');
}

test('a statement has the form of in-toto, and tells digests, target, profile and verdicts', () => {
  const made = report(held);
  const text = reportToJson(made);
  const said = statementOf(made, text, 'conformance.json');
  expect(statement.parse(said)).toEqual(said);
  expect(said).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      {
        name: 'conformance.json',
        digest: { sha256: createHash('sha256').update(text).digest('hex') },
      },
    ],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: 'PASSED',
      passedTests: [implied, id].toSorted(),
      failedTests: [],
      configuration: [
        { name: 'catalogue', digest: { sha256: made.tool.catalogueDigest } },
        { name: 'run', annotations: { seed: 42, partial: false } },
        {
          name: 'target',
          uri: 'https://compute.example.com/v1',
          annotations: { profiles: [{ name: 'read-only', met: true }] },
        },
      ],
    },
  });
});

describe('the result', () => {
  const known = { deviations: [{ requirement: id, reason: 'known', expires: '2026-12-01' }] };
  test.for<[string, string, ...Parameters<typeof report>]>([
    ['all held', 'PASSED', held],
    ['something stated is broken', 'FAILED', { findings: [sampleFinding(id)] }],
    [
      'something implied is broken',
      'WARNED',
      { seen: { [id]: 1 }, findings: [sampleFinding(implied)] },
    ],
    [
      'something is waived',
      'WARNED',
      { seen: { [implied]: 1 }, findings: [sampleFinding(id)] },
      {},
      known,
    ],
    ['the run is unfinished', 'WARNED', held, { partial: true }],
    ['only a part was asked for', 'WARNED', held, { selection: ['--only x'] }],
  ])('where %s is %s', ([, result, ...given]) => {
    expect(stated(...given).predicate.result).toBe(result);
  });
});

describe('nothing is attested of a result', () => {
  const said =
    (...given: Parameters<typeof report>) =>
    () =>
      stated(...given);
  test('in which nothing was seen', () => expect(said({})).toThrow(Unattestable));
  test('that is a shard', () =>
    expect(said(held, { shard: { index: 2, of: 3 } })).toThrow(/shard 2 of a run\. Merge/u));
  test('whose counts were changed', () => {
    const made = report({ findings: [sampleFinding(id)] });
    const painted = { ...made, targets: report(held).targets };
    expect(() => statementOf(painted, '', 'x.json')).toThrow(
      /x\.json: the counts of staging are not/u,
    );
  });
});

describe('a statement in words', () => {
  test('says what it proves and what it does not', () => {
    const lines = attestationText(stated(held), 'abc', 'another').join('\n');
    expect(lines).toContain('1 of 1 stated requirements held');
    expect(lines).toContain('Profile read-only: met, 1 of 1.');
    expect(lines).toContain('another one than that of this plumbline');
    expect(lines).toMatch(/This proves:\n- Whoever holds the private key of abc/u);
    expect(lines).toMatch(/This does not prove:\n- who holds that key/u);
  });

  test('says when only a part was run', () => {
    const lines = attestationText(stated(held, { selection: ['--only x'] }), 'abc', '').join('\n');
    expect(lines).toContain('only a part: --only x');
  });

  test('lets no name steer the terminal', () => {
    const made = { ...hostileReport(), troubles: [] };
    const [target] = made.targets;
    if (target === undefined) throw new Error('no target');
    const said = statementOf(made, '', 'x');
    const text = attestationText(said, 'abc', '').join('');
    // oxlint-disable-next-line no-control-regex -- controls are what this looks for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
  });
});

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519').publicKey;

describe('an envelope', () => {
  const sealed = seal('hello world', 'http://example.com/HelloWorld', privateKey);
  const [first = { sig: '' }] = sealed.signatures;

  test('is signed over what the protocol gives as its example', () => {
    const signed = Buffer.from('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
    expect(verify(null, signed, publicKey, Buffer.from(first.sig, 'base64'))).toBe(true);
  });

  test('counts bytes and not characters', () => {
    const odd = seal('é', 'ü', privateKey);
    const signed = Buffer.from('DSSEv1 2 ü 2 é');
    const sig = Buffer.from(odd.signatures[0]?.sig ?? '', 'base64');
    expect(verify(null, signed, publicKey, sig)).toBe(true);
  });

  test('opens with the key of the signer alone', () => {
    expect(opened(sealed, publicKey)?.toString()).toBe('hello world');
    expect(opened(sealed, other)).toBeUndefined();
  });

  test('does not open when anything in it was changed', () => {
    const payload = Buffer.from('hello worlD').toString('base64');
    expect(opened({ ...sealed, payload }, publicKey)).toBeUndefined();
    expect(opened({ ...sealed, payloadType: 'text/plain' }, publicKey)).toBeUndefined();
    const sig = Buffer.alloc(64).toString('base64');
    expect(opened({ ...sealed, signatures: [{ sig }] }, publicKey)).toBeUndefined();
  });

  test('opens by any one of its signatures, whatever its key id says', () => {
    const wrong = { sig: Buffer.alloc(64).toString('base64') };
    const signatures = [wrong, { ...first, keyid: 'someone else' }];
    expect(opened({ ...sealed, signatures }, publicKey)?.toString()).toBe('hello world');
  });
});

test('both halves of a key have one fingerprint, and two keys have two', () => {
  expect(keyFingerprint(privateKey)).toBe(keyFingerprint(publicKey));
  expect(keyFingerprint(other)).not.toBe(keyFingerprint(publicKey));
});
