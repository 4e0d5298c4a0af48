/** The known name most similar to `got`; null if no known name is similar. */
export function nearestKey(got: string, known: readonly string[]): string | null {
  if (got.length > 100) return null;
  const lower = plain(got);
  return known.find((name) => plain(name) === lower) ?? nearestStart(lower, known) ?? nearestLetters(lower, known);
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** Matches by a common beginning: `mutable` for `mutable_files`, `direction` for `dir`, a singular for its plural. */
function nearestStart(lower: string, known: readonly string[]): string | null {
  const longer = known.find((name) => name.length > 3 && lower.startsWith(name.toLowerCase()));
  const starts = [lower, lower.replace(/s$/, '')].filter((start) => start.length > 2);
  const shorter = known.filter((name) => starts.some((start) => name.toLowerCase().startsWith(start)));
  return longer ?? (shorter.length === 1 ? (shorter[0] ?? null) : null);
}

function nearestLetters(lower: string, known: readonly string[]): string | null {
  const near = known
    .map((name) => ({ name, steps: distance(lower, plain(name)) }))
    .filter(({ name, steps }) => steps <= Math.max(1, Math.floor(name.length * 0.4)))
    .sort((a, b) => a.steps - b.steps)[0];
  return near?.name ?? null;
}

/** Edit distance: letters to add, drop or replace, and adjacent letters to swap, that turn `source` into `target`. */
function distance(source: string, target: string): number {
  let [earlier, before] = [[] as number[], Array.from({ length: target.length + 1 }, (_, index) => index)];
  for (let row = 0; row < source.length; row++) {
    const next = [row + 1];
    for (let column = 0; column < target.length; column++) {
      const swapped = row > 0 && column > 0 && source[row] === target[column - 1] && source[row - 1] === target[column];
      next.push(
        Math.min(
          (before[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
          (before[column] ?? 0) + (source[row] === target[column] ? 0 : 1),
          swapped ? (earlier[column - 1] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [earlier, before] = [before, next];
  }
  return before.at(-1) ?? 0;
}
