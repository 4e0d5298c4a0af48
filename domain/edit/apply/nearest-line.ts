const MOST_LINES = 20_000;
const LONGEST = 200;

/** Where a search text fails to be in a text: its first line that is not there and the line most like it, in words. */
export function nearestLine(text: string, search: string): string {
  const lines = text.split('\n').slice(0, MOST_LINES);
  const there = new Set(lines);
  const missing = search.split('\n').find((line) => line.trim() !== '' && !there.has(line));
  if (missing === undefined) return 'each of its lines is in the file, but not in this order; copy them as they stand';
  const bare = squeezed(missing);
  const spaced = lines.findIndex((line) => squeezed(line) === bare);
  if (spaced >= 0)
    return `line ${spaced + 1} of the file is ${quoted(missing)} but for white space; copy it as it stands`;
  const wanted = pairsOf(missing);
  let best = { score: 0, at: -1 };
  lines.forEach((line, at) => {
    const score = likeness(wanted, line);
    if (score > best.score) best = { score, at };
  });
  const none = `no line of the file is ${quoted(missing)}`;
  return best.at < 0 ? none : `${none}; the nearest is line ${best.at + 1}: ${quoted(lines[best.at] ?? '')}`;
}

const squeezed = (line: string): string => line.replace(/\s+/g, '');
const quoted = (line: string): string => JSON.stringify(line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);

function pairsOf(line: string): Set<string> {
  const text = line.trim().slice(0, LONGEST);
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2)));
}

// Dice's coefficient over pairs of characters: cheap, and blind to where in the line the difference is.
function likeness(wanted: ReadonlySet<string>, line: string): number {
  const pairs = pairsOf(line);
  if (pairs.size + wanted.size === 0) return 0;
  let shared = 0;
  for (const pair of pairs) if (wanted.has(pair)) shared += 1;
  return (2 * shared) / (pairs.size + wanted.size);
}
