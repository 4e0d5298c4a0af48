import { expect, test } from 'vitest';
import { FAULTS } from '../../../domain/report/failure-fault.ts';
import { bestByLuck } from '../../../domain/report/best-by-luck.ts';
import { FAILURE_LABELS } from '../../../domain/trial.ts';

// Expected maxima of standard normals (Teichroew 1956; 2: 1/√π; 3: 3/(2√π)).
test.each([
  [0, 0],
  [1, 0],
  [2, 1 / Math.sqrt(Math.PI)],
  [3, 1.5 / Math.sqrt(Math.PI)],
  [10, 1.5387527308],
  [100, 2.5075936],
  [1000, 3.2414358],
])('the best of %i equal candidates looks better by %f sd', (n, expected) =>
  expect(bestByLuck(n)).toBeCloseTo(expected, 6),
);

test('each failure has a party that causes it', () => {
  expect(Object.keys(FAULTS).sort()).toEqual([...FAILURE_LABELS].sort());
});
