import { expect, test } from 'vitest';
import { probationSeconds } from '../../../domain/fleet/probation.ts';

test('a host that fails again and again is left alone for longer each time, and for ten minutes at most', () => {
  expect([1, 2, 3, 4].map(probationSeconds)).toEqual([5, 10, 20, 40]);
  expect([8, 20, 5000].map(probationSeconds)).toEqual([600, 600, 600]);
});
