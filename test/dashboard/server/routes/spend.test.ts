import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Spend } from '../../../../dashboard/api/spend.ts';
import { spend } from '../../../../dashboard/server/routes/spend.ts';
import { insertStory } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { readRoute, readData } from './read-route.ts';

const bench = useDatabase();
const NOW = new Date('2026-11-01T14:30:00Z');
const spendOf = async (input: Record<string, string> = {}, now = NOW) =>
  Spend.parse(await readData(bench.db, spend, { input, now }));

const call = (
  trial: string,
  at: string,
  { usd = 0.25, model = 'm', repeated = 0 }: { usd?: number | null; model?: string; repeated?: number } = {},
) =>
  bench.db.execute(sql`
    insert into calls (
      trial_id, turn, model, request, answer, answered_at, tokens_in, tokens_out, usd, repeated, sent_at
    )
    values (
      ${trial}, (select count(*) from calls), ${model}, '{}', 'a', ${at}::timestamptz, 100, 10, ${usd}, ${repeated},
      ${at}::timestamptz
    )`);

test('an unknown research has no spend', async () => {
  expect(await readRoute(bench.db, spend, { input: { research: 'nobody' } })).toBeUndefined();
});

test('the spend is listed by model and by hour, with the hours in between', async () => {
  await insertStory(bench.db, 'story');
  await insertStory(bench.db, 'story/a');
  await call('story/4', '2026-11-01T12:00:30Z');
  await call('story/5', '2026-11-01T14:10:00Z', { usd: null, model: 'free', repeated: 2 });
  await call('story/a/4', '2026-11-01T14:20:00Z');
  await bench.db.execute(sql`update researches set usd = 0.25, tokens = 220 where id = 'story'`);
  const found = await spendOf({ research: 'story' });
  expect(found.total).toEqual({ usd: 0.25, tokensIn: 200, tokensOut: 20, calls: 2, repeatedCalls: 2, slotSeconds: 21 });
  expect(found.models).toEqual([
    { model: 'm', calls: 1, repeated: 0, tokensIn: 100, tokensOut: 10, usd: 0.25, unpriced: 0 },
    { model: 'free', calls: 1, repeated: 2, tokensIn: 100, tokensOut: 10, usd: 0, unpriced: 1 },
  ]);
  expect(found.hours).toEqual({
    at: ['2026-11-01T12:00:00.000Z', '2026-11-01T13:00:00.000Z', '2026-11-01T14:00:00.000Z'],
    usd: [0.25, 0, 0],
    tokens: [110, 0, 110],
    slotSeconds: [21, 0, 0],
  });
});

test('the spend over all researches is their sum', async () => {
  const found = await spendOf({ by: 'day' });
  expect(found.total).toMatchObject({ calls: 3, slotSeconds: 42, usd: 0.25 });
  expect(found.hours).toMatchObject({ at: ['2026-11-01T00:00:00.000Z'], usd: [0.5], slotSeconds: [42] });
  expect(found.researches).toEqual([
    { id: 'story', usd: 0.25, tokens: 220, slotSeconds: 21, trials: 6 },
    { id: 'story/a', usd: 0, tokens: 0, slotSeconds: 21, trials: 6 },
  ]);
});

test('days begin at midnight of the zone that was requested', async () => {
  const daysOf = async (ahead: string) => (await spendOf({ by: 'day', ahead })).hours;
  expect(await daysOf('540')).toMatchObject({ at: ['2026-10-31T15:00:00.000Z'], usd: [0.5] });
  expect(await daysOf('-750')).toMatchObject({
    at: ['2026-10-31T12:30:00.000Z', '2026-11-01T12:30:00.000Z'],
    usd: [0.25, 0.25],
  });
});

test('the forecast of a limit uses the last day, from the first proposal on and without pauses', async () => {
  const budget = { trials: 12, usd: 10, tokens: 2000, counts: ['search'], whenSpent: 'stop' } as const;
  await bench.store.research.updateResearch('story', { budget: { ...budget, counts: [...budget.counts] } });
  // The first proposal began two and a half hours ago, and the research was paused for one of them. Two proposals have
  // ended since then, and three numbers were given out.
  await bench.db.execute(sql`update researches set created_at = '2026-11-01T06:00:00Z' where id = 'story'`);
  await bench.db.execute(
    sql`update trials set created_at = '2026-11-01T12:00:00Z' where research_id = 'story' and n = 4`,
  );
  const change = (
    from: string,
    phase: string,
    at: string,
  ) => sql`insert into events (research_id, kind, level, data, at)
    values ('story', 'phase', 'info', ${JSON.stringify({ from, phase, reason: null })}::jsonb, ${at})`;
  await bench.db.execute(change('running', 'paused', '2026-11-01T13:00:00Z'));
  await bench.db.execute(change('paused', 'running', '2026-11-01T14:00:00Z'));
  const { budgets } = await spendOf({ research: 'story' });
  expect(budgets.find(({ limit }) => limit === 'trials')).toMatchObject({
    spent: 3,
    of: 12,
    reachedAt: new Date(NOW.getTime() + (9 / 2) * 1.5 * 3_600_000).toISOString(),
    words: 'reached in 6 h 45 min at the pace of the last 24 h',
  });
  expect(budgets.find(({ limit }) => limit === 'usd')).toMatchObject({
    reachedAt: null,
    words: 'not reached: the limit of trials comes first',
  });
  const spent = { ...budget, tokens: 200, counts: [...budget.counts] };
  await bench.store.research.updateResearch('story', { budget: spent });
  const { budgets: now } = await spendOf({ research: 'story' });
  expect(now.find(({ limit }) => limit === 'tokens')).toMatchObject({ reachedAt: null, words: 'spent' });
  expect(now.find(({ limit }) => limit === 'trials')?.words).toBe('not reached: the limit of tokens is spent');
});

test('a paused research has no forecast', async () => {
  await bench.store.research.updateResearch('story', { phase: 'paused' });
  const { budgets } = await spendOf({ research: 'story' });
  expect(budgets.find(({ limit }) => limit === 'usd')).toMatchObject({ atEnd: null, reachedAt: null, words: 'paused' });
  await bench.store.research.updateResearch('story', { phase: 'running' });
});

test('checks of tasks are one row of their own, and have no budgets', async () => {
  await insertStory(bench.db, 'check/toy/x');
  await insertStory(bench.db, 'attack/toy/y');
  await bench.db.execute(sql`update researches set budget = (select budget from researches where id = 'story')`);
  const { researches, budgets } = await spendOf();
  expect(researches.map(({ id }) => id).sort()).toEqual([null, 'story', 'story/a']);
  expect(researches.find(({ id }) => id === null)).toEqual({
    id: null,
    usd: 0,
    tokens: 0,
    slotSeconds: 42,
    trials: 12,
  });
  expect(new Set(budgets.map(({ research }) => research))).toEqual(new Set(['story', 'story/a']));
});

test('a research without spend in the last day never reaches its limit', async () => {
  const { budgets } = await spendOf({ research: 'story' }, new Date('2026-11-09T00:00:00Z'));
  expect(budgets.find(({ limit }) => limit === 'usd')).toMatchObject({
    reachedAt: null,
    words: 'nothing was spent in the last 24 h',
  });
});

test('a price or a time that is not a number leaves each sum finite', async () => {
  const before = await spendOf({ research: 'story' });
  await call('story/4', '2026-11-01T14:00:00Z', { usd: NaN, model: 'odd' });
  await bench.db.execute(sql`update trials set seconds = 'NaN' where id = 'story/2'`);
  const after = await spendOf({ research: 'story' });
  expect(after.models.find(({ model }) => model === 'odd')).toMatchObject({ calls: 1, usd: 0 });
  expect(after.hours.usd).toEqual(before.hours.usd);
  expect(after.hours.slotSeconds.every(Number.isFinite)).toBe(true);
  expect(after.budgets.every(({ spent }) => Number.isFinite(spent))).toBe(true);
});
