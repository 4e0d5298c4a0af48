import type { Command } from 'commander';

/** Lets a command read an item of --knobs that begins with a dash, such as -batch, as an item and not as an option. */
export function acceptDashedKnobs(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => parse(joinKnobs(words));
}

/** The words of a command with all items of --knobs in one word. */
function joinKnobs(words: readonly string[]): string[] {
  const start = words.indexOf('--knobs') + 1;
  if (start === 0) return [...words];
  const isItem = (word: string): boolean => /^-(?:\*$|[A-Za-z_]\w)/.test(word) || /^[^-].*=/s.test(word);
  const next = words.findIndex((word, i) => i > start && !isItem(word));
  const end = next < 0 ? words.length : next;
  const items = words.slice(start, end);
  return [...words.slice(0, start), ...(items.length > 0 ? [items.join(' ')] : []), ...words.slice(end)];
}
