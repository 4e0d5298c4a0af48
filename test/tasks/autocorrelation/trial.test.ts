import { describe, expect, test } from 'vitest';
import { testArtefactTask } from '../maths/artefact-tests.ts';

const { judge } = await testArtefactTask('autocorrelation', { baseline: [1.55, 1.62] });

const boundOf = async (heights: readonly number[]) => (await judge(JSON.stringify(heights))).score?.bound;

describe('the judge', () => {
  test('gives constant functions the bound 2', async () => {
    expect(await boundOf([1])).toBe(2);
    expect(await boundOf([5, 5, 5, 5, 5, 5, 5])).toBe(2);
    expect(await boundOf(Array.from({ length: 2000 }, () => 2 ** 53 - 1))).toBe(2);
  });

  test('agrees with functions computed by hand', async () => {
    // 1, 2, 1 has the autoconvolution 1, 4, 6, 4, 1: 2 · 3 · 6 / 4².
    expect(await boundOf([1, 2, 1])).toBe(2.25);
    // 1, 0, 1 has the autoconvolution 1, 0, 2, 0, 1: 2 · 3 · 2 / 2².
    expect(await boundOf([1, 0, 1])).toBe(3);
    // 2, 1 has the autoconvolution 4, 4, 1: 2 · 2 · 4 / 3², rounded up.
    expect(await boundOf([2, 1])).toBe(1.777777777778);
  });

  test('does not change with a common factor', async () => {
    const heights = [3, 1, 4, 1, 5, 9, 2, 6];
    expect(await boundOf(heights.map((height) => 1e12 * height))).toBe(await boundOf(heights));
  });

  test('refuses heights that are no whole numbers, negative, or more than 2000', async () => {
    for (const wrong of ['[1, 0.5]', '[1, -1]', '[1, 9007199254740993]', `[${'1,'.repeat(2000)}1]`])
      expect(await judge(wrong)).toMatchObject({ status: 3 });
  });
});
