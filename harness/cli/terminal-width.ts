/** How wide lines may be. */

/** Columns of a stream; `usual` for one that is no terminal, or for a terminal that does not know and says 0. */
export function terminalWidth(
  { columns }: { readonly columns?: number | undefined },
  usual: number,
): number {
  return columns === undefined || columns < 1 ? usual : columns;
}
