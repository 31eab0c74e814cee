/** Values of the region filters that name no region and no location. */

/** A plain one. */
export const unknownRegion = 'NOWHERE';

const LONG = 60;

/** Services may refuse what is long, or trip over characters that their databases and patterns read otherwise. */
export const unknownRegions: readonly string[] = [
  unknownRegion,
  'no such-place-1',
  // It begins two codes.
  'U',
  'q'.repeat(LONG),
  "no'where",
  'no"where',
  'no%where',
  'nowhere-ü',
];
