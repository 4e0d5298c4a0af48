import { expect, test } from 'vitest';
import type { Layer } from '../../../../../dashboard/web/parts/chart/layers.ts';
import { nearestPoint } from '../../../../../dashboard/web/parts/chart/nearest.ts';

const shape = { path: 'M0 0', filled: true };
const layers: Layer[] = [
  { kind: 'step', label: 'claims', x: [0, 50], y: [10, 80], ink: '--claim' },
  {
    ...{ kind: 'dots', label: 'trials', x: [10, 60], y: [12, null], group: [0, 1] },
    groups: [
      { label: 'kept', ink: '--keep', shape },
      { label: 'failed', ink: '--failed', shape },
    ],
  },
];
const at = (x: number, y: number, hidden: string[] = []) =>
  nearestPoint(layers, { x, y, toX: (value) => value, toY: (value) => value ?? 100, hidden: new Set(hidden) });

test('a dot that is near comes before a line that is nearer', () => {
  expect(at(11, 10)).toEqual({ layer: 1, index: 0 });
});

test('a step is near along its whole way', () => {
  expect(at(40, 14)).toEqual({ layer: 0, index: 0 });
  expect(at(1000, 81)).toEqual({ layer: 0, index: 1 });
});

test('a point without a value is found in its lane', () => {
  expect(at(61, 99)).toEqual({ layer: 1, index: 1 });
});

test('what is hidden or far is not found', () => {
  expect(at(11, 10, ['kept'])).toEqual({ layer: 0, index: 0 });
  expect(at(11, 10, ['kept', 'claims'])).toBeNull();
  expect(at(30, 50)).toBeNull();
});
