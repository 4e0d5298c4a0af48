import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Trial } from '../../../../../dashboard/api/trials/trial.ts';
import { readTrialPage } from '../../../../../db/reads/page/trial/read-trial-page.ts';
import { useReader } from '../support.ts';

const TEMPORAL = { uiUrl: 'http://127.0.0.1:8233/', namespace: 'default' };

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 400 });
  await seedResearch(db, { id: 'learns', trials: 120, learns: true });
});

async function pageOf(trialId: string) {
  const page = await readTrialPage(bench.reader, { trialId, temporal: TEMPORAL });
  if (!page) throw new Error(`Expected the trial ${trialId}, found none`);
  return page;
}

/** The number of the first trial that meets the condition. */
async function numberOf(condition: string): Promise<number> {
  const { rows } = await bench.db.execute<{ n: number }>(
    sql.raw(`select n from trials where research_id = 'toy' and ${condition} order by n limit 1`),
  );
  if (!rows[0]) throw new Error(`Expected a trial that ${condition}, found none`);
  return rows[0].n;
}

test('every trial matches the contract exactly', async () => {
  const { rows } = await bench.db.execute<{ id: string }>(sql`select id from trials where n % 4 = 0 or n > 390`);
  for (const { id } of rows) {
    const page = await pageOf(id);
    expect(Trial.parse(page)).toEqual(page);
  }
});

test('the delta is shown with the expected one, and with the means of parent and baseline', async () => {
  const n = await numberOf(`status = 'completed' and kind = 'search' and expected_delta is not null and n > 100`);
  const page = await pageOf(`toy/${n}`);
  const { rows } = await bench.db.execute<{ parent: number; baseline: number; value: number; expected: number }>(sql`
    select t.value, t.expected_delta as expected,
      (select avg(p.value) from trials p
        where p.research_id = 'toy' and p.candidate_id = t.parent_id and p.status = 'completed') as parent,
      (select avg(b.value) from trials b, researches r where b.research_id = 'toy' and r.id = 'toy'
        and b.candidate_id = r.baseline_candidate and b.status = 'completed') as baseline
    from trials t where t.id = ${`toy/${n}`}`);
  const [row] = rows;
  expect(page).toMatchObject({
    parentValue: expect.closeTo(row?.parent ?? NaN, 10),
    baselineValue: expect.closeTo(row?.baseline ?? NaN, 10),
    expectedDelta: row?.expected,
    gotDelta: expect.closeTo((row?.value ?? NaN) - (row?.parent ?? NaN), 10),
  });
});

test('a trial names its parent, its children, runs of the same candidate and its neighbours', async () => {
  const first = await pageOf('toy/1');
  expect(first).toMatchObject({ parent: null, previous: null, next: 2, kind: 'baseline' });
  expect(first.reruns.map(({ n }) => n).slice(0, 9)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(first.counts).toEqual({ children: first.children.length, reruns: first.reruns.length });
  const [child] = first.children;
  const made = await pageOf(child?.trialId ?? '');
  expect(made.parent).toMatchObject({ trialId: 'toy/1', kind: 'baseline' });
  expect(made).toMatchObject({ previous: (child?.n ?? 0) - 1, next: (child?.n ?? 0) + 1, parentId: first.candidateId });
});

test('at most fifty relatives of a kind are named, and all are counted', async () => {
  await bench.db.execute(sql`
    insert into trials (id, research_id, n, kind, seed, task_hash, pool, admission, candidate_id)
    select 'toy/' || i, 'toy', i, 'remeasure', i, task_hash, pool, 'more', candidate_id
    from trials, generate_series(9001, 9060) i where id = 'toy/1'`);
  const { reruns, counts } = await pageOf('toy/1');
  expect(reruns).toHaveLength(50);
  expect(counts.reruns).toBeGreaterThanOrEqual(69);
  await bench.db.execute(sql`delete from trials where n > 9000`);
});

test('a run that was stopped early has the reason of its rule, its forecast and the value to beat', async () => {
  const n = await numberOf(`status = 'aborted' and failure = 'cannot-win'`);
  const { outcomeWords, forecast, placements } = await pageOf(`toy/${n}`);
  expect(forecast).toMatchObject({ wanted: true, audited: false, forecast: expect.any(Number) as number });
  expect(forecast?.toBeat).toEqual(expect.any(Number));
  expect(outcomeWords).toBe(`aborted: ${forecast?.words ?? ''}`);
  expect(outcomeWords).toMatch(/^aborted: stopped at \d+ % by matched-time, forecast/);
  expect(placements[0]).toMatchObject({
    host: expect.stringMatching(/^gpu-/) as string,
    machine: expect.stringContaining('32 cores') as string,
  });
});

test('a placement has its machine, its seconds and the end of its processes', async () => {
  const n = await numberOf(`failure = 'exit-code'`);
  const { placements, outcomeWords } = await pageOf(`toy/${n}`);
  expect(placements).toHaveLength(1);
  const [{ seconds, cpuSeconds, end } = { seconds: NaN, cpuSeconds: NaN, end: '' }] = placements;
  expect(end).toBe('ended with exit code 1');
  expect(cpuSeconds).toBeCloseTo((seconds ?? NaN) * 3.1, 1);
  expect(outcomeWords).toMatch(/^crashed: exit-code: /);
});

test('a trial has its commands and the address of its workflow; a running trial can be ended', async () => {
  const ended = await pageOf('toy/20');
  expect(ended.temporalUrl).toBe('http://127.0.0.1:8233/namespaces/default/workflows/toy%2F20');
  expect(ended.commands.map(({ command }) => command)).toEqual([
    'npx perpetua show toy/20',
    'npx perpetua diff toy/20',
    'npx perpetua show toy/20 --prompt --answer',
    'npx perpetua show toy/20 --json',
  ]);
  const running = await pageOf(`toy/${await numberOf('status is null')}`);
  expect(running.commands.map(({ command }) => command)).toContain(
    `temporal workflow cancel --workflow-id ${running.trialId}`,
  );
  expect(running).toMatchObject({ outcomeWords: 'under way', verdict: 'none', verdictWords: null, endedAt: null });
});

test('the cost of a trial is the sum over its calls', async () => {
  const { rows } = await bench.db.execute<{ id: string; usd: number; tokens: number }>(sql`
    select trial_id as id, sum(usd) as usd, sum(tokens_in + tokens_out)::int as tokens from calls
    where trial_id like 'toy/%' group by 1 having count(*) = 2 and count(usd) = 2 limit 1`);
  expect(await pageOf(rows[0]?.id ?? '')).toMatchObject({ usd: rows[0]?.usd, tokens: rows[0]?.tokens });
});

test('a ready trial shows the reason of its wait', async () => {
  const n = await numberOf('status is null and ready_at is not null and slot_id is null');
  expect((await pageOf(`toy/${n}`)).waits).toMatch(/^for a slot of lab, for /);
});

test('a sample of a policy has the version that drew it, the update that learned from it, and its reward', async () => {
  const { sample, reward } = await pageOf('learns/12');
  expect(sample).toMatchObject({ version: 0, update: 1 });
  expect(sample?.words).toMatch(/drawn from the base model; update 1, which made version 1, by a reward of/);
  expect(reward).toMatchObject({ value: expect.any(Number) as number, parts: { gain: expect.any(Number) as number } });
});

test('an unknown trial has no page', async () => {
  expect(await readTrialPage(bench.reader, { trialId: 'toy/100000', temporal: null })).toBeUndefined();
});
