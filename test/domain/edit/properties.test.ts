import { createTwoFilesPatch } from 'diff';
import { expect, test } from 'vitest';
import { applyEdits } from '../../../domain/edit/apply-edits.ts';
import { parseAnswer } from '../../../domain/edit/parse-answer.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

type Random = () => number;
const randomOf = (seed: number): Random => {
  const random = createRandom(seed);
  return () => random.uniform();
};
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

const WORDS = ['x = 1', '    return y', 'def f():', '', 'ü = "日本"', '🙂 = 2', '-- a', '++ b', '\tz', '# c', ' '];

/** Random text of up to 30 lines, each made unique by its number unless it repeats on purpose. */
function randomLines(random: Random): string[] {
  return Array.from({ length: 1 + Math.floor(random() * 30) }, (_, at) =>
    random() < 0.3 ? pick(random, WORDS) : `${pick(random, WORDS)} ${at}.${Math.floor(random() * 1000)}`,
  );
}

/** The lines with some removed, replaced or added. */
function changedLines(random: Random, lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const draw = random();
    if (draw < 0.1) return [];
    if (draw < 0.2) return [`${line} changed ${Math.floor(random() * 1e6)}`];
    if (draw < 0.3) return [line, `added ${Math.floor(random() * 1e6)}`];
    return [line];
  });
}

test('a file with the diff to another one applied is the other one, for any ends of lines and any text', () => {
  const random = randomOf(45);
  let applied = 0;
  for (let round = 0; round < 80; round += 1) {
    const end = pick(random, ['\n', '\r\n']);
    const lines = randomLines(random);
    const next = changedLines(random, lines);
    if (next.join() === lines.join() || next.length === 0) continue;
    const last = random() < 0.7 ? end : '';
    const [before, after] = [lines.join(end) + last, next.join(end) + last];
    const feeds = (text: string): string => text.replaceAll('\r\n', '\n');
    const patch = createTwoFilesPatch('a/a.py', 'b/a.py', feeds(before), feeds(after), '', '', { context: 3 });
    const answer = parseAnswer(`HYPOTHESIS: h\n\n\`\`\`\`\`diff\n${patch}\`\`\`\`\`\n`, ['a.py'], { 'a.py': before });
    if (!answer.ok) throw new Error(`round ${round}: ${answer.reason}\n${patch}`);
    const made = applyEdits({ 'a.py': before }, answer.edits, ['a.py']);
    // A part that occurs several times, and that no line number selects, is refused with a reason.
    if (!made.ok) expect(made.reason).toMatch(/matches \d+ times|leave every file|left out/);
    else {
      expect([round, made.files['a.py']]).toEqual([round, after]);
      applied += 1;
    }
  }
  expect(applied).toBeGreaterThan(50);
});
