import { describe, expect, test } from 'vitest';
import { lineHunks, linesOf } from '../../../domain/ablation/line-hunks.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

const hunks = (original: string, text: string) => lineHunks(linesOf(original), linesOf(text));

describe('hunks of lines', () => {
  test('are none for equal texts, and one for each stretch of changed lines', () => {
    expect(hunks('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(hunks('a\nb\nc\nd\ne\n', 'a\nB\nc\nd\nE1\nE2\n')).toEqual([
      { from: 1, to: 2, original: ['b\n'] },
      { from: 4, to: 6, original: ['e\n'] },
    ]);
  });

  test('have removed and added lines, also at the ends and without a last line end', () => {
    expect(hunks('a\nb\nc\nd', 'b\nc\nx\nd')).toEqual([
      { from: 0, to: 0, original: ['a\n'] },
      { from: 2, to: 3, original: [] },
    ]);
    expect(hunks('', 'a')).toEqual([{ from: 0, to: 1, original: [] }]);
    expect(hunks('a\n', 'a')).toEqual([{ from: 0, to: 1, original: ['a\n'] }]);
  });

  test('are one hunk between the first and the last difference of very long texts', () => {
    const long = (mark: string) => Array.from({ length: 3000 }, (_, line) => `${mark} ${line}\n`);
    const found = lineHunks(['head\n', ...long('a'), 'tail\n'], ['head\n', ...long('b'), 'tail\n']);
    expect(found.map(({ from, to, original }) => [from, to, original.length])).toEqual([[1, 3001, 3000]]);
  });

  test('give the original if all are taken back, for 300 pairs of texts', () => {
    const random = createRandom(7);
    for (let pair = 0; pair < 300; pair += 1) {
      const draw = () => Array.from({ length: random.below(12) }, () => `${random.below(4)}\n`);
      const [original, text] = [draw(), draw()];
      const back = lineHunks(original, text).toReversed();
      const restored = [...text];
      for (const { from, to, original: lines } of back) restored.splice(from, to - from, ...lines);
      expect(restored).toEqual(original);
    }
  });
});
