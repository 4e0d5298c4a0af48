/** Corners of a step line: each value holds until the next x, the last one until `end`. A null splits the line. */
export function cornersOf(
  x: readonly number[],
  y: readonly (number | null | undefined)[],
  end: number,
): [number, number][][] {
  const stretches: [number, number][][] = [];
  let open: [number, number][] | undefined;
  for (const [index, from] of x.entries()) {
    const value = y[index] ?? null;
    if (value === null || !Number.isFinite(value)) {
      open = undefined;
      continue;
    }
    if (open === undefined) stretches.push((open = []));
    const to = x[index + 1] ?? Math.max(end, from);
    open.push([from, value], [to, value]);
  }
  return stretches;
}

/** Outlines of the band between two step lines. If either line is null, the band has a gap. */
export function bandOf(
  x: readonly number[],
  { low, high, end }: { low: readonly (number | null)[]; high: readonly (number | null)[]; end: number },
): [number, number][][] {
  const both = (values: readonly (number | null)[]) =>
    x.map((_, index) => (low[index] === null || high[index] === null ? null : values[index]));
  const [floor, roof] = [cornersOf(x, both(low), end), cornersOf(x, both(high), end)];
  return roof.map((stretch, index) => [...stretch, ...(floor[index] ?? []).toReversed()]);
}
