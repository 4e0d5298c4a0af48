import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { fillObservations } from '../../../../../bench/support/seed/fill-observations.ts';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { readCandidateColumns } from '../../../../../db/reads/page/candidates/read-candidate-columns.ts';
import {
  readCandidates,
  type CandidateCursor,
  type CandidateLine,
  type CandidatesInput,
} from '../../../../../db/reads/page/candidates/read-candidates.ts';
import { standingOf } from '../../../../../view/standing.ts';
import { useReader } from '../support.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 400 });
  await db.execute(sql`
    update trials set metrics = jsonb_build_object('accuracy', n / 1000.0, 'note', 'x') where research_id = 'toy'`);
  await fillObservations(db, 'toy');
  await db.execute(
    sql`update observations set knobs = jsonb_build_object('a.yaml:rate', seq) where research_id = 'toy'`,
  );
});

type Choice = Partial<Omit<CandidatesInput, 'research'>>;
const pageOf = async (choice: Choice = {}) =>
  readCandidates(bench.reader, {
    research: await bench.researchOf('toy'),
    sort: 'value',
    order: 'asc',
    ranges: [],
    columns: [],
    after: null,
    limit: 100,
    ...choice,
  });

/** All rows, by pages. */
async function allRows(choice: Choice): Promise<CandidateLine[]> {
  const rows: CandidateLine[] = [];
  let after: CandidateCursor | null = null;
  do {
    const page = await pageOf({ ...choice, after });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return rows;
}

const MEANS = `select candidate_id as id, avg(value)::float8 as value, count(*)::int as runs, stddev_samp(value) as sd
  from trials where research_id = 'toy' and status = 'completed' and kind not in ('evaluation', 'ablation') group by 1`;

test.each(['asc', 'desc'] as const)(
  'each candidate has one row, by its mean, %s, whatever the pages',
  async (order) => {
    const means = new Map((await bench.query(MEANS, [])).map((row) => [row['id'], Number(row['value'])]));
    const [count] = await bench.query(
      `select count(distinct candidate_id)::int as n from trials where research_id = 'toy' and status is not null`,
      [],
    );
    const rows = await allRows({ order, limit: 7 });
    expect(new Set(rows.map(({ candidateId }) => candidateId)).size).toBe(rows.length);
    expect(rows).toHaveLength(Number(count?.['n']));
    const scored = rows.filter(({ measured }) => measured !== null);
    expect(rows.slice(0, scored.length)).toEqual(scored);
    expect(scored).toHaveLength(means.size);
    const values = scored.map(({ candidateId }) => means.get(candidateId) ?? NaN);
    expect(values).toEqual([...values].sort((a, b) => (order === 'asc' ? a - b : b - a)));
    // The pages are those of one large page.
    expect(await allRows({ order })).toEqual(rows);
  },
);

test('all trials of a candidate are folded into its row, and the first proposal gives its number', async () => {
  const rows = await allRows({});
  const folded = rows.flatMap(({ trials }) => trials.map(({ n }) => n)).sort((a, b) => a - b);
  const all = await bench.query(
    `select n from trials where research_id = 'toy' and candidate_id in (
       select candidate_id from observations where research_id = 'toy') order by n`,
    [],
  );
  expect(folded).toEqual(all.map(({ n }) => n));
  const often = rows.filter(({ trials }) => trials.length > 2);
  expect(often.length).toBeGreaterThan(2);
  for (const { n, trials } of often)
    expect(n).toBe((trials.find(({ kind }) => kind === 'search' || kind === 'injected') ?? trials[0])?.n);
});

test('the claim and the baseline have the value and interval of all pages, others that of their own runs', async () => {
  const research = await bench.researchOf('toy');
  const { claim, baseline } = standingOf(research);
  const rows = await allRows({});
  for (const known of [claim, baseline]) {
    if (known === null) return expect.unreachable();
    const { candidateId, value, low, high, n } = known;
    expect(rows.find((row) => row.candidateId === candidateId)?.measured).toMatchObject({ value, low, high, n });
  }
  const others = rows.filter(
    ({ candidateId }) => candidateId !== claim?.candidateId && candidateId !== baseline?.candidateId,
  );
  const means = new Map((await bench.query(MEANS, [])).map((row) => [row['id'], row]));
  for (const { candidateId, measured } of others) {
    if (measured === null) continue;
    const { value, runs } = means.get(candidateId) ?? {};
    expect(measured.value).toBeCloseTo(Number(value), 9);
    expect(measured.n).toBe(runs);
    expect((measured.low ?? NaN) < measured.value && measured.value < (measured.high ?? NaN)).toBe(true);
  }
});

test('ranges of the value, of a metric and of a knob leave out the other candidates', async () => {
  const whole = await allRows({
    columns: [
      { kind: 'metric', name: 'accuracy' },
      { kind: 'knob', name: 'a.yaml:rate' },
    ],
  });
  const value = whole[10]?.measured?.value ?? NaN;
  const below = await allRows({ ranges: [{ number: { kind: 'value' }, from: null, to: value }] });
  expect(below.map(({ n }) => n)).toEqual(whole.slice(0, 11).map(({ n }) => n));
  const both = await allRows({
    ranges: [
      { number: { kind: 'metric', name: 'accuracy' }, from: 0.1, to: 0.2 },
      { number: { kind: 'knob', name: 'a.yaml:rate' }, from: 20, to: null },
    ],
  });
  const expected = whole.filter(({ numbers: [accuracy = null, rate = null] }) => {
    return accuracy !== null && accuracy >= 0.1 && accuracy <= 0.2 && rate !== null && rate >= 20;
  });
  expect(expected.length).toBeGreaterThan(5);
  expect(both.map(({ n }) => n)).toEqual(expected.map(({ n }) => n));
});

test('a page of 50,000 candidates by value is read by the index', async () => {
  const plan = await bench.db.transaction(async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`);
    const { rows } = await tx.execute<{ 'QUERY PLAN': string }>(sql`
      explain select * from observations o where research_id = 'toy' and task_hash = 'x' and value is not null
        and (value, candidate_id) > (1::float8, 'a') order by value, candidate_id limit 101`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('observations_best');
});

test('columns are numbers that evaluators reported, and the knobs of the task', async () => {
  const columns = await readCandidateColumns(bench.reader, await bench.researchOf('toy'));
  expect(columns.metrics).toContain('accuracy');
  expect(columns.total).toBeGreaterThan(100);
});
