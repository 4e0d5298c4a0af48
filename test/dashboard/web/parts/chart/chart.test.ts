import { describe, expect, test } from 'vitest';
import { canLog, fitOf } from '../../../../../dashboard/web/parts/chart/extent.ts';
import type { DotsLayer, Layer, LineLayer } from '../../../../../dashboard/web/parts/chart/layers.ts';
import { padded, robustRange } from '../../../../../dashboard/web/parts/chart/range.ts';
import { nearestPoint } from '../../../../../dashboard/web/parts/chart/nearest.ts';
import { logSplits } from '../../../../../dashboard/web/parts/chart/axes.ts';
import { zoomOf, zoomText } from '../../../../../dashboard/web/parts/chart/zoom.ts';

describe('the extent', () => {
  const shape = { path: 'M0 0', filled: true };
  const dots = (y: (number | null)[]): DotsLayer => ({
    kind: 'dots',
    label: 'trials',
    x: y.map((_, index) => index),
    y,
    group: y.map(() => 0),
    groups: [{ label: 'kept', ink: '--keep', shape }],
  });
  const line: LineLayer = { kind: 'step', label: 'claims', x: [0, 5], y: [1, 0.5], end: 9, ink: '--claim' };
  const fit = (layers: Layer[], zoom: string | null = null) =>
    fitOf({
      layers,
      log: false,
      zoom: zoom === null ? null : { x: zoom.split(',').map(Number) as [number, number], y: null },
    });

  test('has a lane only if there are points without a value', () => {
    expect(fit([dots([1, null])]).lane).toBe(true);
    expect(fit([dots([1, 2])]).lane).toBe(false);
  });

  test('of a zoom includes the points in it, and the value of a step there', () => {
    const zoomed = fit([dots([9, 1, 1.1, 1.2, 9]), line], '1,3');
    expect(zoomed.x).toEqual([1, 3]);
    expect(zoomed.y[0]).toBeGreaterThan(0.5);
    expect(zoomed.y[0]).toBeLessThanOrEqual(1);
    expect(zoomed.y[1]).toBeLessThan(2);
  });

  test('includes a level unless it is marked as far', () => {
    const level = { kind: 'level', label: 'optimum', y: -1000, ink: '--good' } as const;
    expect(fit([line, { ...level, far: true }]).y[0]).toBeGreaterThan(0);
    expect(fit([line, level]).y[0]).toBeLessThan(-900);
  });

  test('of bars starts at zero', () => {
    const bars = { kind: 'bars', label: 'USD', x: [0, 1], y: [5, 8], width: 1, ink: '--accent' } as const;
    expect(fit([bars])).toMatchObject({ x: [0, 2], y: [0, 8 * 1.08] });
  });

  test('allows a logarithmic axis only if all values are positive', () => {
    expect(canLog([dots([1, null, 3])])).toBe(true);
    expect(canLog([dots([1, 0])])).toBe(false);
    expect(canLog([dots([null])])).toBe(false);
  });
});

describe('a range', () => {
  /** Values around 3, which repeat after a hundred. */
  const usual = (count: number): number[] =>
    Array.from({ length: count }, (_, index) => 3 + ((index * 37) % 100) / 1000);

  test('leaves out a few outliers, and counts them', () => {
    const range = robustRange([...usual(300), 40, 1e9, -1e9]);
    expect(range).toMatchObject({ above: 2, below: 1 });
    expect(range?.max).toBeLessThan(3.2);
    expect(range?.min).toBeGreaterThan(2.9);
  });

  test('leaves out one outlier among few values', () => {
    expect(robustRange([1, 1.1, 1.2, 1.15, 1e6])).toEqual({ min: 1, max: 1.2, below: 0, above: 1 });
  });

  test('includes required values, however far they are', () => {
    expect(robustRange(usual(300), [-50, null])).toMatchObject({ min: -50, below: 0 });
  });

  test('of equal values has no outliers', () => {
    expect(robustRange(Array<number>(50).fill(2))).toEqual({ min: 2, max: 2, below: 0, above: 0 });
    expect(robustRange([...Array<number>(99).fill(2), 7])).toEqual({ min: 2, max: 7, below: 0, above: 0 });
  });

  test('is null for nothing, NaN and infinities', () => {
    expect(robustRange([])).toBeNull();
    expect(robustRange([NaN, Infinity, null], [-Infinity])).toBeNull();
  });

  test('without width gets one by padding', () => {
    expect(padded([0, 10], 0.1)).toEqual([-1, 11]);
    const [low, high] = padded([5, 5], 0.1);
    expect(low).toBeLessThan(5);
    expect(high).toBeGreaterThan(5);
    expect(padded([0, 0], 0.5)).toEqual([-0.5, 0.5]);
  });
});

describe('the nearest point', () => {
  const shape = { path: 'M0 0', filled: true };
  const layers: Layer[] = [
    { kind: 'step', label: 'claims', x: [0, 50], y: [10, 80], ink: '--claim' },
    {
      kind: 'dots',
      label: 'trials',
      x: [10, 60],
      y: [12, null],
      group: [0, 1],
      groups: [
        { label: 'kept', ink: '--keep', shape },
        { label: 'failed', ink: '--failed', shape },
      ],
    },
  ];
  const at = (x: number, y: number, hidden: string[] = []) =>
    nearestPoint(layers, { x, y, toX: (value) => value, toY: (value) => value ?? 100, hidden: new Set(hidden) });

  test('is a near dot rather than a nearer line', () => {
    expect(at(11, 10)).toEqual({ layer: 1, index: 0 });
  });

  test('may be anywhere along a step', () => {
    expect(at(40, 14)).toEqual({ layer: 0, index: 0 });
    expect(at(1000, 81)).toEqual({ layer: 0, index: 1 });
  });

  test('without a value is found in its lane', () => {
    expect(at(61, 99)).toEqual({ layer: 1, index: 1 });
  });

  test('is not found if it is hidden or far', () => {
    expect(at(11, 10, ['kept'])).toEqual({ layer: 0, index: 0 });
    expect(at(11, 10, ['kept', 'claims'])).toBeNull();
    expect(at(30, 50)).toBeNull();
  });
});

test.each([
  [0.5, 2000, [1, 10, 100, 1000]],
  [1.5, 60, [2, 5, 10, 20, 50]],
  [3.41, 3.87, [3.6, 3.8]],
  [0, 1, []],
  [2, 1, []],
])('a logarithmic axis from %d to %d has ticks at %j', (min, max, ticks) => {
  expect(logSplits(min, max)).toEqual(ticks);
});

test('a very long axis has few ticks', () => {
  expect(logSplits(1e-12, 1e12).length).toBeLessThanOrEqual(8);
});

test('a zoom survives the address', () => {
  const zoom = { x: [120, 480.5] as [number, number], y: [3.125, 3.5] as [number, number] };
  expect(zoomOf(zoomText(zoom))).toEqual(zoom);
  expect(zoomOf('120,480')).toEqual({ x: [120, 480], y: null });
});

test.each([null, '', 'x', '5', '5,5', '9,1', '1,2,3', '1,2,4,3', '1,2,3,4,5', 'NaN,1', '0,Infinity'])(
  '%j is no zoom',
  (text) => {
    expect(zoomOf(text)).toBeNull();
  },
);
