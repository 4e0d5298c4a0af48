import { expect, test } from 'vitest';
import { effectOf } from '../../../domain/ablation/effect.ts';

test("the gain of an edit has the interval of Welch's t", () => {
  const effect = effectOf({ with: [1, 2, 3], without: [4, 6, 8, 10] }, 'minimize');
  // In R: t.test(c(4, 6, 8, 10), c(1, 2, 3)): difference 5, t = 3.5355, df = 4.0755.
  expect(effect).toMatchObject({ with: 2, without: 7, runsWith: 3, runsWithout: 4, gain: 5 });
  const [low = 0, high = 0] = effect.interval ?? [];
  expect(low + high).toBeCloseTo(10, 9);
  expect(low).toBeCloseTo(5 - 2.7577 * Math.sqrt(1 / 3 + 5 / 3), 2);
});

test('the gain is positive if the claim is better with the edit, in both directions', () => {
  const values = { with: [1, 1], without: [3, 3] };
  expect(effectOf(values, 'minimize')).toMatchObject({ gain: 2, interval: [2, 2] });
  expect(effectOf(values, 'maximize')).toMatchObject({ gain: -2, interval: [-2, -2] });
});

test('there is no gain with fewer than two runs of either', () => {
  const none = { gain: null, interval: null };
  expect(effectOf({ with: [1, 2, 3], without: [1] }, 'minimize')).toMatchObject({ ...none, without: 1 });
  expect(effectOf({ with: [], without: [1, 2] }, 'minimize')).toMatchObject({ ...none, with: null });
});
