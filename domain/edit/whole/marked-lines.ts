const NUMBER = /^\s*L?(\d{1,6})(?:\s*[|│→:.)]|\s|$)/;

/** `[-old-]{+new+}`. */
const WORD_DIFF = /\[-[^\]]{1,200}-\]\{\+[^}]{0,200}\+\}/;

/**
 * How the lines of a block are marked so that it is no file as it stands: `a number`, `+` and the like before each of them, or the
 * prompt of a shell before the first; null where they are not, or where the old file has such lines, too.
 */
export function markOfLines(lines: readonly string[], old: string): string | null {
  const mark = markIn(lines);
  return mark === null || markIn(old.split(/\r\n|\n|\r/)) === mark ? null : mark;
}

function markIn(lines: readonly string[]): string | null {
  const full = lines.filter((line) => line.trim() !== '');
  const [first] = full;
  if (first === undefined) return null;
  const prompt = /^(?:>>>(?=\s|$)|In \[\d*\]:)/.exec(first)?.[0];
  if (prompt !== undefined) return prompt;
  if (full.some((line) => WORD_DIFF.test(line))) return 'marks of a diff of words';
  const sign = /^(?:[+>|]|\$(?= ))/.exec(first)?.[0];
  if (sign !== undefined && full.every((line) => line.startsWith(sign))) return sign;
  return areNumbered(full) ? 'a number' : null;
}

/** Whether each line begins with the number that follows the one before; a line alone needs a bar or a tab behind it. */
function areNumbered(full: readonly string[]): boolean {
  const numbers = full.map((line) => Number(NUMBER.exec(line)?.[1] ?? NaN));
  if (full.length === 1) return /^\s*L?\d{1,6}(?:\s*[|│→]|\t)/.test(full[0] ?? '');
  return numbers.every((number, at) => (at === 0 ? !Number.isNaN(number) : number === (numbers[at - 1] ?? NaN) + 1));
}
