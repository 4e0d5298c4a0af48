import { parseNumber } from '../metric/parse-number.ts';
import { stripControls } from '../prompt/clean.ts';

const HYPOTHESIS = /^[\s*_#>-]*hypothesis[\s*_]*[:：][\s*_]*(.*)$/i;
const DELTA = /^[\s*_#>-]*expected[ _-]delta[\s*_]*[:：][\s*_]*(.*)$/i;
const LONGEST = 500;

/** True for a line that gives the hypothesis or the expected delta. */
export function isLabelled(line: string): boolean {
  const start = line.slice(0, LONGEST);
  return HYPOTHESIS.test(start) || DELTA.test(start);
}

/** What an answer says beside its edits; `lines` are those outside the blocks. */
export function readProse(lines: readonly string[]): { hypothesis: string; expectedDelta: number | null } {
  return { hypothesis: hypothesisIn(lines), expectedDelta: deltaIn(lines) };
}

// Without a labelled hypothesis the first sentence of the answer stands for it.
function hypothesisIn(lines: readonly string[]): string {
  const at = lines.findIndex((line) => HYPOTHESIS.test(line.slice(0, LONGEST)));
  const from = at >= 0 ? at : lines.findIndex((line) => /[A-Za-z]{3}/.test(line.slice(0, LONGEST)));
  if (from < 0) return 'none was given';
  const first = lines[from] ?? '';
  const paragraph = [at >= 0 ? (HYPOTHESIS.exec(first)?.[1] ?? '') : first];
  for (const line of lines.slice(from + 1, from + 12)) {
    if (DELTA.test(line.slice(0, LONGEST)) || (line.trim() === '' && paragraph.join('').trim() !== '')) break;
    paragraph.push(line);
  }
  const text = stripControls(paragraph.map((line) => line.slice(0, LONGEST)).join(' '))
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? 'none was given' : text.slice(0, LONGEST);
}

function deltaIn(lines: readonly string[]): number | null {
  for (const line of lines) {
    const text = DELTA.exec(line.slice(0, LONGEST))?.[1];
    const number = text === undefined ? undefined : parseNumber(withoutMarks(/^[~≈\s]*(\S*)/.exec(text)?.[1] ?? ''));
    if (number !== undefined && Number.isFinite(number)) return number;
  }
  return null;
}

function withoutMarks(word: string): string {
  let end = word.length;
  while (end > 0 && '*_,;'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}
