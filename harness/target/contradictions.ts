/** Mistakes in a target file that its form alone does not show. */

import { query } from 'jsonpath-rfc9535';
import type { TargetFile } from '../../schemas/target.ts';
import type { Explained } from './explain-issue.ts';
import { type Keyring, sharedKeys } from './keyring.ts';

/** Everything that would make the suite look in the wrong place or harm the wrong thing. */
export function contradictions(target: TargetFile, keys: Keyring): readonly Explained[] {
  return [
    ...sharedKeys(keys).map(([later, earlier]): Explained => ({
      path: ['keys', ...steps(later)],
      part: 'value',
      problem: `the same key as keys.${earlier}`,
      hint: 'Use another key, or leave this one out: what needs it is then not exercised.',
    })),
    ...(target.contract === 'compute'
      ? [...paths(target), ...twice(target)]
      : hidden(target, keys)),
    ...(target.contract === 'router' ? [...ports(target), ...sharedModels(target)] : []),
  ];
}

type Compute = Extract<TargetFile, { contract: 'compute' }>;
type Router = Extract<TargetFile, { contract: 'router' }>;

function steps(name: string): readonly (string | number)[] {
  const [, list, index] = /^(.*)\[(\d+)\]$/u.exec(name) ?? [];
  return list === undefined ? [name] : [list, Number(index)];
}

function paths({ bindings, instances }: Compute): readonly Explained[] {
  const provision = instances?.provision;
  const named: readonly (readonly [path: readonly string[], text: string | undefined])[] = [
    [['bindings', 'getInstance', 'record'], bindings?.getInstance?.record],
    [['bindings', 'regions', 'codes'], bindings?.regions?.codes],
    [['bindings', 'presets', 'items'], bindings?.presets?.items],
    ...Object.entries(bindings?.presets?.fields ?? {}).map(
      ([field, text]) => [['bindings', 'presets', 'fields', field], text] as const,
    ),
    [
      ['instances', 'provision', 'id'],
      provision !== undefined && 'id' in provision ? provision.id : undefined,
    ],
  ];
  return named.flatMap(([path, text]) => {
    if (text === undefined || !text.startsWith('$') || isJsonPath(text)) return [];
    return [
      {
        path,
        part: 'value' as const,
        problem: `not a JSONPath: ${text}`,
        hint: 'Write it as in $.data[*].name; quote it when it has a * or brackets in it.',
      },
    ];
  });
}

function isJsonPath(text: string): boolean {
  try {
    query(null, text);
    return true;
  } catch {
    return false;
  }
}

/** An instance has one role: what may be destroyed cannot also be one that is watched. */
function twice({ instances }: Compute): readonly Explained[] {
  const provision = instances?.provision;
  const seen = new Map<string, string>();
  const lists: readonly (readonly [name: string, ids: readonly string[]])[] = [
    ['provision', isIdList(provision) ? provision : []],
    ['stopped', instances?.stopped ?? []],
    ['terminated', instances?.terminated ?? []],
  ];
  return lists.flatMap(([name, ids]) =>
    ids.flatMap((id, index) => {
      const before = seen.get(id.toLowerCase());
      seen.set(id.toLowerCase(), name);
      if (before === undefined) return [];
      return [
        {
          path: ['instances', name, index],
          part: 'value' as const,
          problem: `the instance already stands under instances.${before}`,
          hint: 'Give it one role.',
        },
      ];
    }),
  );
}

function isIdList(provision: unknown): provision is readonly string[] {
  return Array.isArray(provision);
}

function hidden({ models }: Router, keys: Keyring): readonly Explained[] {
  const from = models?.hidden?.from;
  if (from === undefined || keys.has(from)) return [];
  return [
    {
      path: ['models', 'hidden', 'from'],
      part: 'value',
      problem: `there is no key ${from}`,
      hint: `Name one of the keys of this file: ${[...keys.keys()].join(', ')}.`,
    },
  ];
}

/** Roles that go together, since each asks only that a model serves; every other role asks for one of its own. */
const plainRoles: ReadonlySet<string> = new Set([
  'chat',
  'embedding',
  'reranker',
  'pair',
  'calm',
  'capped',
]);

/** A model in two roles of which one asks for what the other must not have: a limit, a provider, no agents. */
function sharedModels({ models = {} }: Router): readonly Explained[] {
  const roles = Object.entries(models).flatMap(([role, model]) => {
    const id = typeof model === 'string' ? model : model?.id;
    return id === undefined ? [] : [{ role, id, path: idPath(role, model) }];
  });
  return roles.flatMap(({ role, id, path }, index) => {
    const other = roles
      .slice(0, index)
      .find((one) => one.id === id && !(plainRoles.has(one.role) && plainRoles.has(role)));
    if (other === undefined || isHiddenBeside(role, other.role)) return [];
    return [
      {
        path,
        part: 'value' as const,
        problem: `the same model as models.${other.role}`,
        hint: 'Use another model, or leave this one out: what needs it is then not exercised.',
      },
    ];
  });
}

function idPath(role: string, model: unknown): readonly string[] {
  return typeof model === 'string' ? ['models', role] : ['models', role, 'id'];
}

/** Who may not see a model says nothing of how it serves. */
function isHiddenBeside(...roles: readonly string[]): boolean {
  return roles.includes('hidden');
}

const HIGHEST_PORT = 65_535;

function ports({ backend }: Router): readonly Explained[] {
  const listen = backend !== undefined && 'listen' in backend ? backend.listen : [];
  return listen.flatMap((address, index) => {
    const port = Number(address.slice(address.lastIndexOf(':') + 1));
    if (port >= 1 && port <= HIGHEST_PORT) return [];
    return [
      {
        path: ['backend', 'listen', index],
        part: 'value' as const,
        problem: `no usable port: ${port}`,
        hint: 'Write a port from 1 to 65535, the one at which the agents expect the engine.',
      },
    ];
  });
}
