/** The known key most like one that came, or null where none is near. */
export function nearestKey(came: string, known: readonly string[]): string | null {
  if (came.length > 100) return null;
  const plain = (key: string): string => key.toLowerCase().replaceAll(/[_-]/g, '');
  const near = known
    .map((key) => ({ key, steps: distance(plain(came), plain(key)) }))
    .filter(({ key, steps }) => steps <= Math.max(1, Math.floor(key.length * 0.4)))
    .sort((a, b) => a.steps - b.steps)[0];
  return near?.key ?? null;
}

/** Letters to add, drop or replace on the way from one word to the other (Levenshtein). */
function distance(from: string, to: string): number {
  let before = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const next = [row + 1];
    for (const [column, other] of [...to].entries())
      next.push(
        Math.min(
          (before[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
          (before[column] ?? 0) + (letter === other ? 0 : 1),
        ),
      );
    before = next;
  }
  return before.at(-1) ?? 0;
}
