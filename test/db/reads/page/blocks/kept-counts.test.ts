import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { connect, type Db, type Tx } from '../../../../../db/connect.ts';
import { countShown, countTrials } from '../../../../../db/reads/page/blocks/count-trials.ts';
import { readAbsorbed } from '../../../../../db/reads/page/blocks/read-absorbed.ts';
import { createPageCaches, type PageCaches } from '../../../../../db/reads/page/page-caches.ts';
import { readEnded } from '../../../../../db/reads/page/series/read-ended.ts';
import { readBudgets } from '../../../../../db/reads/page/spend/read-budgets.ts';
import { readKeptRates } from '../../../../../db/reads/page/spend/read-rates.ts';
import { readSpend } from '../../../../../db/reads/page/spend/read-spend.ts';
import { readOrder } from '../../../../../db/reads/page/trials/read-order.ts';
import { readResearch, type ResearchView } from '../../../../../db/reads/read-research.ts';
import { readCounts } from '../../../../../db/reads/status/read-counts.ts';
import { readRates } from '../../../../../db/reads/status/read-rates.ts';
import { createRandom, type Random } from '../../../../../domain/statistics/random.ts';
import { BASELINE, insertResearch, WINNER } from '../../../../cli/support/lineage.ts';
import { useDatabase } from '../../../support.ts';

const bench = useDatabase();
/** More than two blocks. */
const TRIALS = 1100;
const CHANGES = 60;
const ID = 'busy';

test('after any sequence of changes, kept counts equal those of Postgres over all rows', async () => {
  const { db, url } = bench;
  const other = connect(url, { max: 3, onError: () => undefined });
  const caches = createPageCaches();
  const random = createRandom(7);
  const open: (() => void)[] = [];
  const late: Promise<unknown>[] = [];
  try {
    await begin(db);
    await compare(db, caches);
    for (let step = 1; step <= CHANGES; step += 1) {
      // The first and the last change update the research, for which others would wait.
      const isHeld = step % 10 === 0;
      const change = pick(random, isHeld ? CHANGE.slice(1, -1) : CHANGE);
      const id = isHeld ? heldTrial(random) : anyTrial(random);
      if (isHeld) {
        // Commits only after later transactions have committed and were read.
        const { started, finished, commit } = heldOpen(other.db, (tx) => change(tx, random, id));
        await started;
        open.push(commit);
        late.push(finished);
      } else if (step % 10 === 5) await rolledBack(db, (tx) => change(tx, random, id));
      else await db.transaction((tx) => change(tx, random, id));
      if (step % 10 === 8 || open.length > 1) {
        open.shift()?.();
        await late.shift();
      }
      if (step === CHANGES / 2) {
        for (const commit of open.splice(0)) commit();
        await Promise.all(late.splice(0));
        await deleteRows(db);
        await begin(db);
      }
      await compare(db, caches);
    }
  } finally {
    for (const commit of open) commit();
    await Promise.all(late);
    await other.close();
  }
  await compare(db, caches);
});

test('a reader whose transaction began before that of the last reader gets its own state', async () => {
  const caches = createPageCaches();
  await insertResearch(bench.db, 'states', { lastN: 3 });
  await insertMany(bench.db, 'states', 3);
  await bench.db.execute(sql`update trials set status = null, ended_at = null where id = 'states/2'`);
  const ended = async (tx: Tx): Promise<number> => {
    const research = await researchIn(tx, 'states');
    return countTrials(await caches.readColumns(tx, research), new Set()).ended;
  };
  const inState = <T>(use: (tx: Tx) => Promise<T>): Promise<T> =>
    bench.db.transaction(use, { isolationLevel: 'repeatable read', accessMode: 'read only' });
  const other = connect(bench.url, { max: 1, onError: () => undefined });
  const before = await inState(ended);
  await inState(async (old) => {
    await old.execute(sql`select 1 from trials`);
    await other.db.execute(sql`update trials set status = 'lost', ended_at = now() where id = 'states/2'`);
    const newer = await other.db.transaction(ended, { isolationLevel: 'repeatable read', accessMode: 'read only' });
    expect(newer).toBe(before + 1);
    expect(await ended(old)).toBe(before);
  });
  expect(await inState(ended)).toBe(before + 1);
  await other.close();
});

test('after a restore, whose rows have old numbers of transactions, all blocks are read again', async () => {
  const { db } = bench;
  const caches = createPageCaches();
  await insertResearch(db, 'restored', { lastN: 3 });
  await insertMany(db, 'restored', 3);
  const ended = async (): Promise<number> =>
    countTrials(await caches.readColumns(db, await researchIn(db, 'restored')), new Set()).ended;
  await db.execute(sql`update trials set status = 'lost', ended_at = now() where research_id = 'restored'`);
  expect(await ended()).toBe(3);
  await db.transaction(async (tx) => {
    // As a restore: the table has another file, and no trigger runs.
    await tx.execute(sql`alter table trials disable trigger trials_changed_xid`);
    await tx.execute(sql`
      update trials set status = null, ended_at = null, changed_xid = '1' where research_id = 'restored'`);
    await tx.execute(sql`alter table trials enable trigger trials_changed_xid`);
  });
  await db.execute(sql`vacuum full trials`);
  expect(await ended()).toBe(0);
});

/** Deletes the research; another one begins under its id. */
const deleteRows = (db: Db): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`delete from calls where trial_id in (select id from trials where research_id = ${ID})`);
    for (const table of ['claims', 'jobs', 'trials'])
      await tx.execute(sql`delete from ${sql.identifier(table)} where research_id = ${ID}`);
    await tx.execute(sql`delete from researches where id = ${ID}`);
  });

async function begin(db: Db): Promise<void> {
  await insertResearch(db, ID, { lastN: TRIALS, usd: 5, tokens: 1000 });
  await insertMany(db, ID, TRIALS);
  await db.execute(sql`
    insert into calls (trial_id, turn, model, request, answer, usd, tokens_in, tokens_out, latency_seconds, sent_at)
    select id, 0, case when n % 3 = 0 then 'small' else 'large' end, '{}', 'text',
      case when n % 5 > 0 then n * 0.25 end, n, 1, 1 + n % 17, now() - make_interval(mins => n)
    from trials where research_id = ${ID} and n % 2 = 0`);
  await db.execute(sql`
    insert into claims (research_id, seq, candidate_id, of_trial, value, n, reason) values
      (${ID}, 1, ${WINNER}, 7, 1.5, 3, 'better')`);
}

/** Ended and open trials of many classes. */
const insertMany = (db: Db, id: string, count: number) =>
  db.execute(sql`
    with made as (
      insert into jobs (id, kind, research_id, task_hash, pool, priority, spec)
      select ${id} || '/' || n, 'trial', ${id}, 'task-1', 'local', 0, '{}' from generate_series(1, ${count}::int) n)
    insert into trials (id, research_id, n, kind, seed, task_hash, pool, admission, candidate_id, parent_id, status,
      failure, value, verdict, ended_at, seconds)
    select ${id} || '/' || n, ${id}, n, case when n % 9 = 0 then 'confirm' else 'search' end, n, 'task-1', 'local', 'a',
      case when n % 2 = 0 then ${WINNER} else ${BASELINE} end, ${BASELINE},
      case when n % 11 = 0 then null when n % 7 = 0 then 'crashed' else 'completed' end,
      case when n % 11 > 0 and n % 7 = 0 then 'exit-code' end,
      case when n % 11 > 0 and n % 7 > 0 then n * 0.5 end,
      case when n % 11 > 0 then case when n % 50 = 0 then 'keep' else 'discard' end end,
      case when n % 11 > 0 then now() + make_interval(secs => n - (n % 13) * 3) end,
      case when n % 11 > 0 then 10 + n % 5 end
    from generate_series(1, ${count}::int) n`);

/** Trials that only transactions change that stay open: no other transaction then waits for their rows. */
const HELD = 100;

/** A change of a trial; `id` is one that the transaction may change. */
type Change = (tx: Tx, random: Random, id: string) => Promise<unknown>;

const anyTrial = (random: Random): string => `${ID}/${1 + random.below(TRIALS - HELD)}`;
const heldTrial = (random: Random): string => `${ID}/${TRIALS - random.below(HELD)}`;

const CHANGE: readonly Change[] = [
  // Admits a trial.
  (tx) =>
    tx.execute(sql`
    with next as (update researches set last_n = last_n + 1 where id = ${ID} returning last_n as n),
      job as (insert into jobs (id, kind, research_id, task_hash, pool, priority, spec)
        select ${ID} || '/' || n, 'trial', ${ID}, 'task-1', 'local', 0, '{}' from next)
    insert into trials (id, research_id, n, kind, seed, task_hash, pool, admission)
    select ${ID} || '/' || n, ${ID}, n, 'search', n, 'task-1', 'local', 'b' from next`),
  // Ends a trial, or opens it again.
  (tx, random, id) =>
    tx.execute(sql`
    update trials set status = case when status is null then 'completed' end, verdict = 'discard',
      value = case when status is null then ${random.uniform()}::float8 end,
        ended_at = clock_timestamp(), failure = null
    where id = ${id}`),
  // Changes a verdict.
  (tx, random, id) =>
    tx.execute(sql`
    update trials set verdict = ${pick(random, ['keep', 'confirm', 'discard', 'none'])}, ruled_at = clock_timestamp()
    where id = ${id} and status is not null`),
  // A person stops a trial; another research measured one.
  (tx, random, id) =>
    tx.execute(sql`
    update trials set status = 'aborted', failure = 'stopped-by-operator', value = null, ended_at = clock_timestamp(),
      reused_from = ${pick(random, ['other/1', null])}
    where id = ${id}`),
  // A call is sent again, and has another cost and another latency.
  (tx, random, id) =>
    tx.execute(sql`
    update calls set usd = ${random.uniform()}::float8, latency_seconds = ${random.uniform() * 30}::float8,
      repeated = repeated + 1
    where trial_id = ${id}`),
  (tx, random, id) =>
    tx.execute(sql`
    insert into calls (trial_id, turn, model, request, answer, usd, tokens_in, latency_seconds)
    values (${id}, 1 + ${random.below(1e6)}::int, 'new', '{}', 'text', 0.5, 3, 2.5)`),
  // The lead moves, so that discarded trials become absorbed, or are no more.
  (tx, random) =>
    tx.execute(sql`
    update researches set gate = jsonb_set(gate, '{leadId}', to_jsonb(${pick(random, [BASELINE, WINNER])}::text))
    where id = ${ID}`),
];

const pick = <T>(random: Random, values: readonly T[]): T => {
  const value = values[random.below(values.length)];
  if (value === undefined) throw new Error('Expected a value to pick');
  return value;
};

/** Makes a change in a transaction that stays open until `commit`. */
function heldOpen(db: Db, change: (tx: Tx) => Promise<unknown>) {
  let commit: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (commit = resolve));
  let start: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (start = resolve));
  const finished = db.transaction(async (tx) => {
    await change(tx).finally(start);
    await held;
  });
  return { started, finished, commit: () => commit() };
}

async function rolledBack(db: Db, change: (tx: Tx) => Promise<unknown>): Promise<void> {
  const undo = new Error('undo');
  await db
    .transaction(async (tx) => {
      await change(tx);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
}

async function researchIn(tx: Tx, researchId: string): Promise<ResearchView> {
  const research = await readResearch(tx, { researchId });
  if (!research) throw new Error(`Expected the research ${researchId}, found none`);
  return research;
}

/** Compares what the readers keep with counts over all rows, in one state of the database. */
const compare = (db: Db, caches: PageCaches): Promise<void> =>
  db.transaction(
    async (tx) => {
      const research = await researchIn(tx, ID);
      const absorbed = await readAbsorbed(tx, ID);
      const columns = await caches.readColumns(tx, research);
      expect(countTrials(columns, absorbed)).toEqual(await readCounts(tx, { researchId: ID }));
      const numbers = await tx.execute<{ n: number }>(sql`
        select n from trials where research_id = ${ID} and status = 'completed'
        order by case when value between '-1e300' and '1e300' then value end nulls last, n`);
      const list = await readOrder(tx, {
        research,
        filter: { status: 'completed' },
        sort: 'value',
        order: 'asc',
        readers: caches,
      });
      expect(list.n).toEqual(numbers.rows.map(({ n }) => n));
      const failures = await tx.execute<{ failure: string; trials: number }>(sql`
        select failure, count(*)::int as trials from trials
        where research_id = ${ID} and failure is not null group by 1`);
      expect(list.facets.failure).toEqual(
        Object.fromEntries(failures.rows.map(({ failure, trials }) => [failure, trials])),
      );
      expect(countShown(columns, absorbed).reduce((sum, { trials }) => sum + trials, 0)).toBe(research.lastN);
      const spent = await tx.execute<{ usd: number; tokens: number; calls: number }>(sql`
        select sum(calls.usd)::float8 as usd, sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0))::int as tokens,
          count(*)::int as calls
        from calls join trials on trials.id = trial_id where research_id = ${ID} and trials.status is not null`);
      const usd = await readEnded(tx, { research, axis: 'usd' }, caches);
      const tokens = await readEnded(tx, { research, axis: 'tokens' }, caches);
      const sum = (values: Float64Array): number => values.reduce((all, one) => all + one, 0);
      expect(sum(usd.spent)).toBeCloseTo(spent.rows[0]?.usd ?? 0, 6);
      expect(sum(tokens.spent)).toBe(spent.rows[0]?.tokens);
      const rates = await readKeptRates(tx, { research, readSums: caches.readSums });
      expect(rates).toEqual(await readRates(tx, research));
      const models = await tx.execute<{ calls: number }>(sql`
        select count(*)::int as calls from calls join trials on trials.id = trial_id where research_id = ${ID}`);
      const spend = await readSpend(tx, {
        researches: [research],
        researchId: ID,
        by: 'day',
        ahead: 330,
        now: new Date(),
        readers: caches,
      });
      expect(spend.total.calls).toBe(models.rows[0]?.calls);
      const limited = { ...research, budget: { ...research.budget, trials: 9000, proposals: 9000 } };
      const pace = { researches: [limited], now: new Date() };
      const lines = await readBudgets(tx, { ...pace, columns });
      expect(lines.length).toBeGreaterThan(1);
      expect(lines).toEqual(await readBudgets(tx, pace));
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
