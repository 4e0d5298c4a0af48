import { expect, test } from 'vitest';
import { orderByColumn } from '../../../../../db/reads/page/candidates/candidate-order.ts';

test('equal numbers come by the number of the candidate, and missing ones last, in both orders', () => {
  const column = { n: [5, 4, 3, 2, 1], value: [1, null, 2, 1, null] };
  expect(orderByColumn(column, 'asc').n).toEqual([2, 5, 3, 1, 4]);
  expect(orderByColumn(column, 'desc').n).toEqual([3, 2, 5, 1, 4]);
});
