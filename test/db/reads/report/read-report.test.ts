import { expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { REPORT_FORMATS } from '../../../../cli/render/report/formats.ts';
import { readReport } from '../../../../db/reads/report/read-report.ts';
import { bestByLuck } from '../../../../domain/report/best-by-luck.ts';
import type { ResearchReport } from '../../../../view/report/report.ts';
import { useReader } from '../page/support.ts';

const NOW = new Date('2026-11-28T12:00:00Z');
const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 400, now: NOW, hostile: true, trouble: true });
});

const reportOf = async (since?: Date): Promise<ResearchReport> =>
  readReport(bench.reader, { research: await bench.researchOf('toy'), since, now: NOW });

const numbers = async (statement: string, ...parameters: unknown[]) => bench.query(statement, parameters);

test.each([
  ['the whole research', undefined],
  ['its last hour', new Date(NOW.getTime() - 3_600_000)],
])('the figures of a report of %s equal sums over raw rows', async (_what, since) => {
  const report = await reportOf(since);
  const from = report.since;
  const ended = await numbers(
    `select status, count(*)::int as count from trials
     where research_id = 'toy' and status is not null and ended_at >= $1 group by status`,
    from,
  );
  expect(report.ended).toEqual(Object.fromEntries(ended.map(({ status, count }) => [status, count])));
  const [spend] = await numbers(
    `select (select coalesce(sum(seconds), 0)::float8 from trials where research_id = 'toy' and ended_at >= $1) as slot,
       (select coalesce(sum(usd), 0)::float8 from calls where trial_id like 'toy/%' and sent_at >= $1) as usd,
       (select coalesce(sum(tokens_in + tokens_out), 0)::float8 from calls
        where trial_id like 'toy/%' and sent_at >= $1) as tokens`,
    from,
  );
  expect(report.spend.slotSeconds).toBeCloseTo(Number(spend?.slot), 6);
  expect(report.spend.usd).toBeCloseTo(Number(spend?.usd), 9);
  expect(report.spend.tokens).toBe(Number(spend?.tokens));
  const failures = await numbers(
    `select failure, count(*)::int as count, max(n) as n from trials
     where research_id = 'toy' and failure is not null and status <> 'aborted' and ended_at >= $1
     group by failure`,
    from,
  );
  const counted = report.failures.map(({ label, count, example }) => ({ failure: label, count, n: example.n }));
  const byLabel = (a: { failure?: unknown }, b: { failure?: unknown }) =>
    String(a.failure) < String(b.failure) ? -1 : 1;
  expect(counted.sort(byLabel)).toEqual(failures.sort(byLabel));
  expect(report.failures.length).toBeGreaterThan(since === undefined ? 2 : 0);
  const shares = report.failures.reduce((sum, { share }) => sum + share, 0);
  expect(shares).toBeLessThanOrEqual(1 + 1e-9);
  const claims = await numbers(`select seq from claims where research_id = 'toy' and at >= $1 order by seq`, from);
  expect(report.claims.map(({ seq }) => seq)).toEqual(claims.map(({ seq }) => seq));
});

test('claims have gains over the claim before, and the diff from the baseline', async () => {
  const { claims } = await reportOf();
  expect(claims.length).toBeGreaterThan(1);
  claims
    .slice(1)
    .forEach(({ gain, value }, index) => expect(gain).toBeCloseTo((claims[index]?.value ?? NaN) - value, 9));
  expect(claims.some(({ diff }) => diff.includes('@@'))).toBe(true);
});

test('unclaimed ideas are better than the best, and none is the best', async () => {
  const { unclaimed, status } = await reportOf();
  for (const { value, gain, n } of unclaimed) {
    expect(value).toBeLessThan(status.best?.value ?? -Infinity);
    expect(gain).toBeCloseTo((status.best?.value ?? NaN) - value, 9);
    expect(`toy/${n}`).not.toBe(status.best?.trialId);
  }
});

test('the margin of luck is that of the number of candidates, in the noise of the baseline', async () => {
  const { luck, status } = await reportOf();
  const [row] = await numbers(
    `select count(distinct candidate_id)::int as count from trials
     where research_id = 'toy' and kind in ('search', 'injected') and status = 'completed'`,
  );
  expect(luck.candidates).toBe(row?.count);
  expect(luck.margin).toBeCloseTo((status.baseline?.sd ?? NaN) * bestByLuck(luck.candidates), 9);
});

test('the calibration compares expected changes with measured ones', async () => {
  await bench.db.execute(`update trials set expected_delta = -0.5 where research_id = 'toy' and kind = 'search'`);
  const { calibration } = await reportOf();
  const [first] = calibration;
  expect(first?.expected).toBe(-0.5);
  const [row] = await numbers(
    `with means as (select candidate_id, avg(value) as value from trials
       where research_id = 'toy' and status = 'completed' and kind <> 'evaluation' and value between -1e300 and 1e300
       group by 1)
     select avg((a.value - p.value < 0)::int)::float8 as share from trials t
       join means a on a.candidate_id = t.candidate_id join means p on p.candidate_id = t.parent_id
     where t.research_id = 'toy' and t.kind = 'search' and t.status = 'completed'
       and coalesce(t.arm, t.proposer) = $1`,
    first?.proposer,
  );
  expect(first?.rightDirection).toBeCloseTo(Number(row?.share), 9);
});

test.each(['text', 'md', 'html'] as const)(
  'hostile texts of candidates stay texts in a report as %s',
  async (format) => {
    const written = REPORT_FORMATS[format]({ reports: [await reportOf()], at: NOW });
    expect(written).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    if (format === 'html') expect(written).not.toMatch(/<script|<img|<svg onload|<base/);
    if (format === 'md')
      expect(written.replace(/^ {2}(`{3,})\n[\s\S]*?\n {2}\1$/gm, '')).not.toMatch(/(^|[^\\])<(script|img)/);
    expect(written.length).toBeLessThan(200_000);
    for (const title of ['Needs you', 'New claims', 'What failed', 'Cost', 'What comes next'])
      expect(written).toContain(title);
  },
);

test('two huge numbers do not make the report fail', async () => {
  await bench.db.execute(`update trials set expected_delta = 1e200 where research_id = 'toy' and kind = 'search'`);
  expect((await reportOf()).calibration).toEqual([]);
});

test('a candidate that a person discarded is no unclaimed idea', async () => {
  const [idea] = (await reportOf()).unclaimed;
  if (idea === undefined) throw new Error('Expected an unclaimed idea in the seeded research, found none');
  await bench.db.execute(
    `update trials set verdict = 'discard', reason = 'overridden by a person: it leaks'
     where research_id = 'toy' and n = ${idea.n}`,
  );
  expect((await reportOf()).unclaimed.map(({ n }) => n)).not.toContain(idea.n);
});
