/** Mutants that go before the suite together: of different files, so that none stands in another's way. */

/** More in one deployment would hide one another. */
const MOST = 6;

/** Every item is in exactly one group; the files with most of them are in most groups. */
export function groupsOf<Item>(
  items: readonly Item[],
  fileOf: (item: Item) => string,
): readonly (readonly Item[])[] {
  const files = new Map<string, Item[]>();
  for (const item of items) {
    const others = files.get(fileOf(item)) ?? [];
    others.push(item);
    files.set(fileOf(item), others);
  }
  const groups: (readonly Item[])[] = [];
  for (;;) {
    const fullest = [...files.values()]
      .filter((left) => left.length > 0)
      .toSorted((one, other) => other.length - one.length)
      .slice(0, MOST);
    if (fullest.length === 0) return groups;
    groups.push(fullest.flatMap((left) => left.splice(0, 1)));
  }
}
