import { expect, test } from 'vitest';
import { thin, type Point } from '../../../view/figure/drawings/best-so-far.ts';

test('few points all stay', () => {
  const points: Point[] = [
    [1, 1],
    [1, 1],
  ];
  expect(thin(points, 2)).toBe(points);
});

test('of many points so few stay that each is far from the others, and none is invented', () => {
  const points = Array.from({ length: 50_000 }, (_, n): Point => [(n * 7919) % 900, (n * 104_729) % 400]);
  const kept = thin(points, 1000);
  expect(kept.length).toBeLessThanOrEqual(1000);
  expect(kept.length).toBeGreaterThan(500);
  expect(kept.every((point) => points.includes(point))).toBe(true);
});

test('a point that stands alone stays', () => {
  const alone: Point = [5000, 5000];
  const crowd = Array.from({ length: 10_000 }, (_, n): Point => [n % 100, Math.floor(n / 100)]);
  expect(thin([...crowd, alone], 100)).toContain(alone);
});
