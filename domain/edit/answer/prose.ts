import { parseNumber } from '../../metric/printed-number.ts';
import { stripControls } from '../../prompt/strip-controls.ts';

/** Label of the hypothesis, in the languages that models answer in. */
const NAMES =
  'hypothesis|hypothese|hypothèse|hipótesis|hipótese|hipoteza|hipotez|hipotesis|ipotesi|hypotéza|hypotes|hypotese|' +
  'гипотеза|гіпотеза|хипотеза|υπόθεση|假设|假設|假说|假說|假定|仮説|仮定|가설|' +
  'परिकल्पना|فرضية|الفرضية|فرضیه|השערה|giả thuyết|สมมติฐาน';
/** Label of the expected delta. */
const DELTAS =
  'expected[ _-]delta|预期变化|预期增量|预期差值|預期變化|期待される変化|期待差分|예상 ?변화|ожидаемое изменение|ожидаемая дельта';
const HYPOTHESIS = new RegExp(`^[\\s*_#>-]*(?:${NAMES})[\\s*_]*[:：][\\s*_]*(.*)$`, 'iu');
const DELTA = new RegExp(`^[\\s*_#>-]*(?:${DELTAS})[\\s*_]*[:：][\\s*_]*(.*)$`, 'iu');
/** A word, or a letter of a script whose letters are words or syllables. */
const WORDS = /[\p{L}\p{M}]{3}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LONGEST = 500;

/** True for a line that gives the hypothesis or the expected delta. */
export function isLabelled(line: string): boolean {
  const start = line.slice(0, LONGEST);
  return HYPOTHESIS.test(start) || DELTA.test(start);
}

/** Reads the hypothesis and the expected delta of an answer; `lines` are the lines outside of blocks. */
export function readProse(lines: readonly string[]): { hypothesis: string; expectedDelta: number | null } {
  return { hypothesis: hypothesisIn(lines), expectedDelta: deltaIn(lines) };
}

/** The labelled hypothesis, or without a label the paragraph of the first line with a word. */
function hypothesisIn(lines: readonly string[]): string {
  const at = lines.findIndex((line) => HYPOTHESIS.test(line.slice(0, LONGEST)));
  const from = at >= 0 ? at : lines.findIndex((line) => WORDS.test(line.slice(0, LONGEST)));
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
  return text === '' ? 'none was given' : text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '');
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
