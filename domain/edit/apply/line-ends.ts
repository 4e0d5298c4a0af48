/** A text with every line end as a line feed, and what each of them was (`\r\n`, `\n` or `\r`), in order. */
export interface Lines {
  text: string;
  ends: readonly string[];
}

/** A part of a text, in characters, and what takes its place. */
export interface Splice {
  from: number;
  to: number;
  put: string;
}

const END = /\r\n|\n|\r/g;

/** The text with line feeds alone. */
export const withLineFeeds = (text: string): string => (text.includes('\r') ? text.replace(END, '\n') : text);

export const readLines = (text: string): Lines => ({ text: withLineFeeds(text), ends: text.match(END) ?? [] });

/** The text with its own line ends again. */
export function writeLines({ text, ends }: Lines): string {
  if (ends.every((end) => end === '\n')) return text;
  let at = 0;
  return text.replace(/\n/g, () => ends[at++] ?? '\n');
}

/** Lines that are left alone keep their ends; new ones take those of the lines they replace, or else of a neighbour. */
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

/** A whole new text, whose lines have line feeds, with the ends that the same lines had, and for new ones the last one's before. */
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
