import { expect, test } from 'vitest';
import { canLog, fitOf } from '../../../../../dashboard/web/parts/chart/extent.ts';
import type { DotsLayer, Layer, LineLayer } from '../../../../../dashboard/web/parts/chart/layers.ts';

const shape = { path: 'M0 0', filled: true };
const dots = (y: (number | null)[]): DotsLayer => ({
  ...{ kind: 'dots', label: 'trials', x: y.map((_, index) => index), y, group: y.map(() => 0) },
  groups: [{ label: 'kept', ink: '--keep', shape }],
});
const line: LineLayer = { kind: 'step', label: 'claims', x: [0, 5], y: [1, 0.5], end: 9, ink: '--claim' };
const fit = (layers: Layer[], zoom: string | null = null) =>
  fitOf({
    layers,
    log: false,
    zoom: zoom === null ? null : { x: zoom.split(',').map(Number) as [number, number], y: null },
  });

test('points without a value have a lane, and none is there without them', () => {
  expect(fit([dots([1, null])]).lane).toBe(true);
  expect(fit([dots([1, 2])]).lane).toBe(false);
});

test('a zoom shows what lies in it, and what a step holds there', () => {
  const zoomed = fit([dots([9, 1, 1.1, 1.2, 9]), line], '1,3');
  expect(zoomed.x).toEqual([1, 3]);
  expect(zoomed.y[0]).toBeGreaterThan(0.5);
  expect(zoomed.y[0]).toBeLessThanOrEqual(1);
  expect(zoomed.y[1]).toBeLessThan(2);
});

test('a level that is far does not stretch the axis, one that is not does', () => {
  const level = { kind: 'level', label: 'optimum', y: -1000, ink: '--good' } as const;
  expect(fit([line, { ...level, far: true }]).y[0]).toBeGreaterThan(0);
  expect(fit([line, level]).y[0]).toBeLessThan(-900);
});

test('bars stand on zero', () => {
  const bars = { kind: 'bars', label: 'USD', x: [0, 1], y: [5, 8], width: 1, ink: '--accent' } as const;
  expect(fit([bars])).toMatchObject({ x: [0, 2], y: [0, 8 * 1.08] });
});

test('a logarithmic axis is offered only where all is positive', () => {
  expect(canLog([dots([1, null, 3])])).toBe(true);
  expect(canLog([dots([1, 0])])).toBe(false);
  expect(canLog([dots([null])])).toBe(false);
});
