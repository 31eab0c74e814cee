/** Where a value stands in a target file. */

export type KeyPath = readonly (string | number)[];

/** `keys.tokensPerDay[0].limit`; empty for the whole file. */
export function keyPathText(path: KeyPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('');
}
