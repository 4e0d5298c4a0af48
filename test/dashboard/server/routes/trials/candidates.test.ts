import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { fillObservations } from '../../../../../bench/support/seed/fill-observations.ts';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Candidates, type CandidateRow } from '../../../../../dashboard/api/trials/candidates.ts';
import { Pareto } from '../../../../../dashboard/api/trials/pareto.ts';
import { candidates } from '../../../../../dashboard/server/routes/trials/candidates.ts';
import { pareto } from '../../../../../dashboard/server/routes/trials/pareto.ts';
import { errorProblem } from '../../../../../dashboard/server/answer/problems.ts';
import { useReader } from '../../../../db/reads/page/support.ts';
import { readData, readRoute } from '../read-route.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 300 });
  // Few different numbers, so that there are ties; every seventh trial has none, and one has a text.
  await db.execute(sql`update trials set metrics = case when n % 7 = 0 then null when n = 50 then '{"size": "x"}'::jsonb
    else jsonb_build_object('size', n * 37 % 11, 'val_loss', value) end where research_id = 'toy'`);
  await fillObservations(db, 'toy');
});

/** The number `size` and the value of each candidate, by the number of its trial, from the raw rows. */
const RAW = `
  select coalesce(min(n) filter (where kind in ('search', 'injected')), min(n)) as n,
    avg((metrics ->> 'size')::float8) filter (where status = 'completed' and n <> 50) as size,
    avg(value) filter (where status = 'completed' and kind not in ('evaluation', 'ablation')) as value
  from trials t where research_id = 'toy'
    and candidate_id in (select candidate_id from observations where research_id = 'toy' and seq is not null)
  group by candidate_id`;

async function rawCandidates() {
  const rows = await bench.query(RAW, []);
  const orNull = (value: unknown) => (value === null ? null : Number(value));
  return rows.map((row) => ({ n: Number(row['n']), size: orNull(row['size']), value: orNull(row['value']) }));
}

async function allRows(input: Record<string, string>): Promise<CandidateRow[]> {
  const rows: CandidateRow[] = [];
  let after: string | null = null;
  do {
    const page: Candidates = await readData(bench.reader, candidates, {
      input: { id: 'toy', ...input, ...(after === null ? {} : { after }) },
    });
    expect(Candidates.parse(page)).toEqual(page);
    expect(page.total).toBe((await rawCandidates()).length);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return rows;
}

test.each(['asc', 'desc'] as const)('candidates come by a column, %s, over all pages', async (order) => {
  const sign = order === 'asc' ? 1 : -1;
  const raw = await rawCandidates();
  const expected = [
    ...raw.filter(({ size }) => size !== null).sort((a, b) => sign * ((a.size ?? 0) - (b.size ?? 0)) || a.n - b.n),
    ...raw.filter(({ size }) => size === null).sort((a, b) => a.n - b.n),
  ];
  const rows = await allRows({ sort: 'metric.size', order, columns: 'metric.size', limit: '17' });
  expect(rows.map(({ n }) => n)).toEqual(expected.map(({ n }) => n));
  expect(rows.map(({ numbers }) => numbers[0])).toEqual(expected.map(({ size }) => size));
  const ranged = await allRows({ sort: 'metric.size', order, range: 'metric.size:3..6' });
  const inRange = expected.filter(({ size }) => size !== null && size >= 3 && size <= 6);
  expect(inRange.length).toBeGreaterThan(10);
  expect(ranged.map(({ n }) => n)).toEqual(inRange.map(({ n }) => n));
});

test('the run time is a column, too', async () => {
  const seconds = (await allRows({ sort: 'seconds', order: 'desc' })).map((row) => row.seconds);
  expect(seconds).toEqual([...seconds].sort((a, b) => b - a));
});

test('an unknown column is refused with the expected names, and never part of a statement', async () => {
  for (const name of ["metric.size'; drop table trials; --", 'metric.other', 'n', 'knob.x:y']) {
    const order = await readRoute(bench.reader, candidates, { input: { id: 'toy', sort: name } }).catch(errorProblem);
    expect(order).toMatchObject({ code: 'refused', issues: [{ path: 'sort' }] });
    expect(order).toHaveProperty('error', expect.stringContaining('expected one of first, value, seconds, '));
    expect(order).toHaveProperty('error', expect.stringContaining('metric.size'));
    const front = await readRoute(bench.reader, pareto, { input: { id: 'toy', y: name } }).catch(errorProblem);
    expect(front).toMatchObject({ code: 'refused', issues: [{ path: 'y' }] });
  }
});

test('the front has the candidates that no other one dominates, over the raw rows', async () => {
  const raw = (await rawCandidates()).flatMap(({ n, size, value }) =>
    size === null || value === null ? [] : [{ n, size, value }],
  );
  const chosen = { id: 'toy', x: 'value', y: 'metric.size' };
  const found = await readData(bench.reader, pareto, { input: { ...chosen, yBetter: 'maximize' } });
  expect(Pareto.parse(found)).toEqual(found);
  const expected = raw.filter(
    (one) =>
      !raw.some(({ size, value }) => value <= one.value && size >= one.size && (value < one.value || size > one.size)),
  );
  const numbers = (rows: readonly { n: number }[]) => rows.map(({ n }) => n).sort((a, b) => a - b);
  expect(expected.length).toBeGreaterThan(1);
  expect(numbers(found.front)).toEqual(numbers(expected));
  expect([found.total, found.frontTotal]).toEqual([raw.length, expected.length]);
  expect([...found.rest.n, ...numbers(found.front)].sort((a, b) => a - b)).toEqual(numbers(raw));
  expect(found.x).toEqual({ name: 'value', better: 'minimize', fromTask: true });
  expect(found.y).toEqual({ name: 'metric.size', better: 'maximize', fromTask: false });
  const [first] = raw;
  const x = [...found.rest.x, ...found.front.map((place) => place.x)];
  expect(x.some((value) => Math.abs(value - (first?.value ?? NaN)) < 1e-9)).toBe(true);

  const ranged = await readData(bench.reader, pareto, { input: { ...chosen, range: 'metric.size:3..6' } });
  expect(ranged.total).toBe(raw.filter(({ size }) => size >= 3 && size <= 6).length);
});
