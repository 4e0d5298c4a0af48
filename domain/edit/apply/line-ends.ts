/** A text with line feeds as its line ends, and the original line ends (`\r\n`, `\n` or `\r`), in order. */
export interface Lines {
  text: string;
  ends: readonly string[];
}

/** A part of a text, as character positions, and its replacement `put`. */
export interface Splice {
  from: number;
  to: number;
  put: string;
}

const END = /\r\n|\n|\r/g;

/** The text with line feeds as its only line ends. */
export const withLineFeeds = (text: string): string => (text.includes('\r') ? text.replace(END, '\n') : text);

export const readLines = (text: string): Lines => ({ text: withLineFeeds(text), ends: text.match(END) ?? [] });

/** The text with its original line ends. */
export function writeLines({ text, ends }: Lines): string {
  if (ends.every((end) => end === '\n')) return text;
  let at = 0;
  return text.replace(/\n/g, () => ends[at++] ?? '\n');
}

/** Replaces a part. Untouched lines keep their ends; new lines take those of replaced lines, or of a neighbour. */
export function spliceLines({ text, ends }: Lines, { from, to, put }: Splice): string {
  const before = count(text.slice(0, from));
  const replaced = ends.slice(before, before + count(text.slice(from, to)));
  const after = ends.slice(before + replaced.length);
  const last = after[0] ?? replaced.at(-1) ?? ends[before - 1] ?? '\n';
  const fresh = Array.from({ length: count(put) }, (_, i) => replaced[i] ?? last);
  return writeLines({
    text: text.slice(0, from) + put + text.slice(to),
    ends: [...ends.slice(0, before), ...fresh, ...after],
  });
}

/**
 * Gives the lines of a new text, which have line feeds, the ends that equal lines of the old text had. A new line takes
 * the end of the line before it.
 */
export function withEndsOf(old: string, content: string): string {
  const { text, ends } = readLines(old);
  const [first = '\n'] = ends;
  if (ends.every((end) => end === first)) return first === '\n' ? content : content.replaceAll('\n', first);
  const known = new Map<string, { ends: string[]; next: number }>();
  text.split('\n').forEach((line, at) => {
    const [end, seen] = [ends[at], known.get(line)];
    if (end === undefined) return;
    if (seen) seen.ends.push(end);
    else known.set(line, { ends: [end], next: 0 });
  });
  let last = first;
  const chosen = content.split('\n').map((line) => {
    const seen = known.get(line);
    last = seen?.ends[seen.next++] ?? last;
    return last;
  });
  return writeLines({ text: content, ends: chosen });
}

function count(text: string): number {
  let found = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) found += 1;
  return found;
}
