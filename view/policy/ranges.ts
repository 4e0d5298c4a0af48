/** Numbers in rising order on one line, those in a row as a range: `#1–#4, #7`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && n <= last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `#${from}` : `#${from}–#${to}`)).join(', ');
}
