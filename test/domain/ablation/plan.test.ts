import { expect, test } from 'vitest';
import { MOST_TRIALS, MOST_VARIANTS, runsOfVariants } from '../../../domain/ablation/plan.ts';

const runs = (variants: number, most?: number) => runsOfVariants(variants, { most });

test('an ablation has three runs of the claim and of each variant, or as many as its budget allows', () => {
  expect(runs(4)).toEqual({ runs: 3 });
  expect(runs(4, 10)).toEqual({ runs: 2 });
  expect(runs(4, 29)).toEqual({ runs: 5 });
});

test('a large budget gives at most twenty runs of each', () => {
  expect(runs(1, 2 ** 31 - 1)).toEqual({ runs: 20 });
  expect(runs(MOST_VARIANTS, MOST_TRIALS)).toEqual({ runs: 20 });
});

test('an ablation is refused without edits, with too many of them, or with less than two runs of each', () => {
  expect(runs(0)).toEqual({ refused: expect.stringContaining('the claim has no edits') as unknown });
  expect(runs(MOST_VARIANTS + 1)).toEqual({ refused: expect.stringContaining('at most 50 edits') as unknown });
  expect(runs(4, 9)).toEqual({ refused: expect.stringMatching(/at least 10 trials: 2 runs .* got 9/) as unknown });
});
