/** Figures as people read them. What was not measured is a dash. */

const NOT_MEASURED = '–';

/** Seconds, from seconds. */
export function seconds(value: number | undefined): string {
  if (value === undefined) return NOT_MEASURED;
  return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}

/** Mebibytes, from bytes. */
export function mebibytes(value: number | undefined): string {
  if (value === undefined) return NOT_MEASURED;
  const size = value / 1024 / 1024;
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} MiB`;
}

/** A whole number with its thousands apart. */
export function whole(value: number | undefined): string {
  return value === undefined ? NOT_MEASURED : Math.round(value).toLocaleString('en-US');
}

/** One number in terms of another: `2.4 ×`. */
export function ratio(value: number, of: number): string {
  return of === 0 ? NOT_MEASURED : `${(value / of).toFixed(1)} ×`;
}
