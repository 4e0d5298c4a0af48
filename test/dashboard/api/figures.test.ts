import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedResearch } from '../../../bench/support/seed/seed-research.ts';
import { RESEARCH_FIGURES, valueOfFigure, type FigureReaders, type Value } from '../../../bench/dashboard/figures.ts';
import { FIGURES, type FigureName } from '../../../dashboard/api/figures.ts';
import type { Fleet } from '../../../dashboard/api/fleet.ts';
import type { Spend } from '../../../dashboard/api/spend.ts';
import { fleet } from '../../../dashboard/server/routes/fleet.ts';
import { research } from '../../../dashboard/server/routes/research.ts';
import { spend } from '../../../dashboard/server/routes/spend.ts';
import { insertStory } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { readData, NOW } from '../server/routes/read-route.ts';

const bench = useDatabase();
const client: { current: pg.Client | null } = { current: null };
const valueOf = (name: FigureName, ...parameters: (string | null)[]): Promise<Value> => {
  if (client.current === null) throw new Error('expected a connection');
  return valueOfFigure(client.current, name, parameters);
};

beforeAll(async () => {
  await seedResearch(bench.db, { id: 'seeded', trials: 700, now: NOW });
  await seedResearch(bench.db, { id: 'learns', trials: 100, learns: true, trouble: true, now: NOW });
  await insertStory(bench.db, 'story');
  const budget = {
    trials: 9,
    proposals: 40,
    hours: 2.5,
    hoursWithoutClaim: 1.5,
    slotSeconds: 500,
    tokens: 1e6,
    usd: 3,
  };
  await bench.store.research.updateResearch('story', {
    budget: { ...budget, counts: ['search', 'injected'], whenSpent: 'wait' },
    activeSeconds: 90.5,
    secondsAtClaim: 30.5,
    usd: 0.25,
    tokens: 77,
    refunded: { search: 1 },
  });
  const opened = new pg.Client({ connectionString: bench.url });
  await opened.connect();
  client.current = opened;
});
afterAll(() => client.current?.end());

const closeTo = (value: Value): unknown =>
  value === null || Number.isInteger(value)
    ? value
    : expect.closeTo(value, 9 - Math.floor(Math.log10(Math.abs(value))));

const ON_SPEND: FigureReaders<Spend> = {
  'spend.usd': ({ total }) => total.usd,
  'spend.slotSeconds': ({ total }) => total.slotSeconds,
  'spend.tokensIn': ({ total }) => total.tokensIn,
  'spend.tokensOut': ({ total }) => total.tokensOut,
  'spend.calls': ({ total }) => total.calls,
  'spend.repeatedCalls': ({ total }) => total.repeatedCalls,
  'spend.tokens': ({ researches }) => researches.reduce((sum, { tokens }) => sum + tokens, 0),
  'spend.trials': ({ researches }) => researches.reduce((sum, { trials }) => sum + trials, 0),
  'spend.savedSeconds': ({ savedSeconds }) => savedSeconds,
  'rates.requests': ({ rates }) => rates?.requests ?? 0,
  'rates.answers': ({ rates }) => rates?.answers ?? 0,
  'rates.badRate': ({ rates }) => rates?.badRate ?? null,
  'rates.duplicateRate': ({ rates }) => rates?.duplicateRate ?? null,
  'rates.limitedRate': ({ rates }) => rates?.limitedRate ?? null,
  'rates.latencyP50': ({ rates }) => rates?.latencySeconds?.p50 ?? null,
  'rates.latencyP95': ({ rates }) => rates?.latencySeconds?.p95 ?? null,
  'rates.usdPerClaim': ({ rates }) => rates?.perClaim?.usd ?? null,
  'rates.tokensPerClaim': ({ rates }) => rates?.perClaim?.tokens ?? null,
};

const OF_MODEL: FigureReaders<Spend['models'][number]> = {
  'model.calls': ({ calls }) => calls,
  'model.repeated': ({ repeated }) => repeated,
  'model.tokensIn': ({ tokensIn }) => tokensIn,
  'model.tokensOut': ({ tokensOut }) => tokensOut,
  'model.usd': ({ usd }) => usd,
  'model.unpriced': ({ unpriced }) => unpriced,
};

const OF_POOL: FigureReaders<Fleet['pools'][number]> = {
  'pool.total': ({ total }) => total,
  'pool.leased': ({ leased }) => leased,
  'pool.waiting': ({ waiting }) => waiting,
  'pool.gapP50': ({ gapP50 }) => gapP50,
  'pool.gapP95': ({ gapP95 }) => gapP95,
};
const OF_HOST: FigureReaders<Fleet['hosts'][number]> = {
  'host.slots': ({ slots }) => slots,
  'host.running': ({ running }) => running,
  'host.failures': ({ failures }) => failures,
};
const OF_SLOT: FigureReaders<Fleet['slots'][number]> = {
  'slot.busyHour': ({ busyHour }) => busyHour,
  'slot.busyDay': ({ busyDay }) => busyDay,
};
const ON_FLEET: FigureReaders<Fleet> = {
  'fleet.busyHour': ({ busyHour }) => busyHour,
  'fleet.busyDay': ({ busyDay }) => busyDay,
};

const entries = <Data>(readers: FigureReaders<Data>) =>
  Object.entries(readers) as [FigureName, (data: Data) => Value][];

describe.each(['seeded', 'learns', 'story'])('on the page of %s', (id) => {
  test('each number is what its SQL gives', async () => {
    const page = await readData(bench.db, research, { input: { id } });
    for (const [name, read] of entries(RESEARCH_FIGURES)) {
      const value = await valueOf(name, id);
      expect({ [name]: value }).toEqual({ [name]: closeTo(read(page)) });
    }
  });
});

describe.each([undefined, 'seeded', 'story'])('on the page of the spend of %s', (id) => {
  test('each number is what its SQL gives', async () => {
    const page = await readData(bench.db, spend, { input: id === undefined ? {} : { research: id } });
    const now = NOW.toISOString();
    for (const [name, read] of entries(ON_SPEND))
      expect({ [name]: await valueOf(name, id ?? null, now) }).toEqual({ [name]: closeTo(read(page)) });
    for (const model of page.models)
      for (const [name, read] of entries(OF_MODEL))
        expect({ [name]: await valueOf(name, id ?? null, now, model.model) }).toEqual({ [name]: closeTo(read(model)) });
    for (const { research: researchId, limit, spent, of: most } of page.budgets) {
      expect(await valueOf(`budget.${limit}` as FigureName, researchId)).toEqual(closeTo(spent));
      expect(await valueOf(`limit.${limit}` as FigureName, researchId)).toEqual(closeTo(most));
    }
  });
});

test('the cost of a claim over all researches counts the claims of those that called a model', async () => {
  const { researches, rates } = await readData(bench.db, spend, { input: {} });
  const tokens = researches.reduce((sum, row) => sum + row.tokens, 0);
  const { rows } = await bench.db.execute<{ id: string; claims: number }>(
    sql`select research_id as id, count(*)::int as claims from claims group by 1 order by 1`,
  );
  expect(rows.map(({ id }) => id)).toEqual(['learns', 'seeded', 'story']);
  expect(rates?.perClaim?.tokens).toBeCloseTo(tokens / (rows[1]?.claims ?? 0), 6);
});

test('on the page of the fleet each number is what its SQL gives', async () => {
  const page = await readData(bench.db, fleet);
  const check = async <Data>(all: FigureReaders<Data>, data: Data, subject: string | null): Promise<void> => {
    for (const [name, read] of entries(all))
      expect({ [name]: await valueOf(name, subject, page.now) }).toEqual({ [name]: closeTo(read(data)) });
  };
  await check(ON_FLEET, page, null);
  for (const pool of page.pools) await check(OF_POOL, pool, pool.pool);
  for (const host of page.hosts) await check(OF_HOST, host, host.name);
  for (const slot of page.slots) await check(OF_SLOT, slot, slot.id);
  expect(page.busyDay).toBeGreaterThan(0);
  expect(page.pools).toMatchObject([
    { pool: 'lab', total: 16, leased: 16 },
    { pool: 'local', waiting: 1 },
  ]);
  expect(page.slots).toHaveLength(16);
});

test('the seeded research has a number above 0 for each figure, so that each comparison means something', async () => {
  const page = await readData(bench.db, research, { input: { id: 'seeded' } });
  const none = entries(RESEARCH_FIGURES).flatMap(([name, read]) => (read(page) ? [] : [name]));
  expect(
    none.filter((name) => !/^(limit|races|trials\.cancelled|trials\.lost|trials\.timed_out|verdicts\.)/.test(name)),
  ).toEqual([]);
});

test('every figure gives one number', async () => {
  const { rows } = await bench.db.execute<{ slot: string; host: string }>(
    sql`select id as slot, host from slots limit 1`,
  );
  const [slot] = rows;
  const subjects: Record<string, string | null> = {
    pool: 'lab',
    host: slot?.host ?? null,
    slot: slot?.slot ?? null,
    fleet: null,
  };
  for (const name of Object.keys(FIGURES) as FigureName[]) {
    const [subject = ''] = name.split('.');
    const parameter = subject in subjects ? (subjects[subject] ?? null) : 'seeded';
    const value = await valueOf(name, parameter, NOW.toISOString(), 'gpt-5');
    expect([name, typeof value === 'number' || value === null]).toEqual([name, true]);
  }
});
