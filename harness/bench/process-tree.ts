/** Memory of a process and its descendants, as Linux tells it; undefined elsewhere. */

import { readFileSync } from 'node:fs';

/** Highest resident memory so far of each process of a tree, added up over those alive, in bytes. */
export function treeMemory(root: number): number | undefined {
  const sizes = treeOf(root).flatMap((pid) => highWater(pid) ?? []);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0);
}

function treeOf(root: number): readonly number[] {
  const children = read(`/proc/${root}/task/${root}/children`) ?? '';
  return [
    root,
    ...children
      .split(' ')
      .filter((pid) => pid.trim() !== '')
      .flatMap((pid) => treeOf(Number(pid))),
  ];
}

function highWater(pid: number): number | undefined {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/mu.exec(read(`/proc/${pid}/status`) ?? '') ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** A process may end while it is looked at. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
