import { expect, test } from 'vitest';
import { withInterval } from '../../../../view/page/research/interval.ts';

test('three runs of their own have the t of two degrees of freedom, two runs that of the shared noise', () => {
  const own = withInterval({ value: 10, sd: 1, n: 3 }, 100);
  expect(own.low).toBeCloseTo(10 - 4.302653 / Math.sqrt(3), 5);
  expect(own.high).toBeCloseTo(10 + 4.302653 / Math.sqrt(3), 5);
  expect(withInterval({ value: 10, sd: 1, n: 2 }, 10).high).toBeCloseTo(10 + 2.228139 / Math.sqrt(2), 5);
});

test('without noise that is known there is no interval, without noise it has no width', () => {
  expect(withInterval({ value: 1, sd: null, n: 5 }, 4)).toMatchObject({ low: null, high: null });
  expect(withInterval({ value: 1, sd: 2, n: 1 }, 0)).toMatchObject({ low: null, high: null });
  expect(withInterval({ value: 1, sd: 0, n: 1 }, 2)).toMatchObject({ low: 1, high: 1 });
});
