import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Order, OrderQuery, RowsQuery, TrialRows } from '../../../../../dashboard/api/trials/rows.ts';
import { order, rows } from '../../../../../dashboard/server/routes/trials/trials.ts';
import { decodeDeltas } from '../../../../../view/page/deltas.ts';
import { useReader } from '../../../../db/reads/page/support.ts';
import { readRoute, readData } from '../read-route.ts';

const bench = useReader((db) => seedResearch(db, { id: 'wild', trials: 120, hostile: true }));

test('the order is by number, the newest first, unless another order is requested', async () => {
  const found = await readData(bench.reader, order, { input: { id: 'wild' } });
  expect(Order.parse(found)).toEqual(found);
  expect(decodeDeltas(found.steps)).toEqual(Array.from({ length: 130 }, (_, index) => 130 - index));
  const other = await readData(bench.reader, order, {
    input: { id: 'wild', sort: 'value', order: 'asc', kind: 'search' },
  });
  expect(other.steps).toHaveLength(found.facets.kind['search'] ?? 0);
});

test('rows match the contract, hostile ones too', async () => {
  const numbers = Array.from({ length: 130 }, (_, index) => index + 1);
  const found = await readData(bench.reader, rows, { input: { id: 'wild', n: numbers.join(',') } });
  expect(TrialRows.parse(found)).toEqual(found);
  expect(found.rows.map(({ n }) => n)).toEqual(numbers);
  expect(JSON.stringify(found)).toContain('<script>');
});

test('an unknown research has neither; an invalid number, sort or filter is refused', async () => {
  expect(await readRoute(bench.reader, order, { input: { id: 'nobody' } })).toBeUndefined();
  expect(await readRoute(bench.reader, rows, { input: { id: 'nobody', n: '1' } })).toBeUndefined();
  for (const n of ['', 'a', '1,', '-1', '1.5', Array.from({ length: 201 }, () => 1).join(',')])
    expect([n, RowsQuery.safeParse({ n }).success]).toEqual([n, false]);
  for (const odd of [{ sort: 'id' }, { order: 'up' }, { status: 'gone' }, { kind: 'x' }, { verdict: '' }])
    expect([odd, OrderQuery.safeParse(odd).success]).toEqual([odd, false]);
});
