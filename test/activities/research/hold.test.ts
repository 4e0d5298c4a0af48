import { and, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settle } from '../../../activities/outcome/settle.ts';
import { alerts, researches, taskVersions, trials } from '../../../db/schema.ts';
import { Budget } from '../../../domain/schema/budget.ts';
import type { FailureLabel, TrialStatus } from '../../../domain/trial.ts';
import { budgetUseOf } from '../../../view/budget.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { admitTrials } from '../../support/database/admit-trials.ts';

const bench = useDatabase();
const FULL = 'the database could not store the trial: could not extend file "base/1/2": No space left on device';
let admissions = 0;

const admit = (researchId: string, room = 4, retries = false) =>
  admitTrials(bench.store, {
    researchId,
    key: `k${(admissions += 1)}`,
    room,
    activeSeconds: 0,
    proposals: true,
    retries,
  });

const end = (researchId: string, n: number, status: TrialStatus, label: FailureLabel | null) =>
  settle(bench.store, {
    trialId: `${researchId}/${n}`,
    researchId,
    status,
    failure: label === null ? null : { label, message: label === 'database-failed' ? FULL : 'it failed' },
    value: status === 'completed' ? 1 : null,
    metrics: {},
    evaluatorNotes: null,
    trusted: true,
  });

const fail = (researchId: string, n: number) => end(researchId, n, 'lost', 'database-failed');

/** Moves the ends of all trials back in time. */
const letMinutesPass = async (researchId: string, minutes: number): Promise<void> => {
  const rows = await bench.db.select().from(trials).where(eq(trials.researchId, researchId));
  for (const { n, endedAt } of rows)
    if (endedAt)
      await bench.db
        .update(trials)
        .set({ endedAt: new Date(endedAt.getTime() - minutes * 60_000) })
        .where(and(eq(trials.researchId, researchId), eq(trials.n, n)));
};

const trialsSpent = async (id: string): Promise<number | undefined> => {
  const [row] = await bench.db.select().from(researches).where(eq(researches.id, id));
  return row && budgetUseOf(row).trials.spent;
};

const numbersOf = ({ trials: admitted }: { trials: readonly { n: number }[] }) => admitted.map(({ n }) => n);

test('after three ends by the database, one trial tries again every five minutes until one ends well', async () => {
  await insertResearch(bench.db, 'full', { budget: Budget.parse({ trials: 5 }) });
  expect(numbersOf(await admit('full', 3))).toEqual([1, 2, 3]);
  for (const n of [1, 2]) await fail('full', n);
  expect(await admit('full', 0)).toMatchObject({ failing: null });
  await fail('full', 3);
  const held = await admit('full');
  expect(held).toMatchObject({ trials: [], spent: null, failing: expect.stringContaining('No space left on') });
  expect(await trialsSpent('full')).toBe(0);
  await letMinutesPass('full', 5);
  expect(numbersOf(await admit('full'))).toEqual([4]);
  // No other one beside it, and the reason stays.
  expect(await admit('full')).toMatchObject({ trials: [], failing: held.failing });
  await fail('full', 4);
  expect(numbersOf(await admit('full'))).toEqual([]);
  await letMinutesPass('full', 5);
  expect(numbersOf(await admit('full'))).toEqual([5]);
  await end('full', 5, 'completed', null);
  const free = await admit('full', 9);
  expect(free).toMatchObject({ failing: null });
  // The whole budget but the trial with a result is left.
  expect(numbersOf(free)).toHaveLength(4);
  const told = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'full'));
  expect(told.map(({ message }) => message)).toEqual([held.failing]);
});

test.each([
  ['rejected', 'refusal', true],
  ['cached', null, true],
  ['lost', 'machine-lost', true],
  ['aborted', 'stopped-by-operator', true],
  ['aborted', 'cannot-win', false],
  ['crashed', 'exit-code', false],
  ['completed', null, false],
] as const)('a trial that ends as %s (%s) between them keeps the hold: %s', async (status, label, keeps) => {
  const id = `between-${status}-${label}`;
  await insertResearch(bench.db, id);
  await admit(id, 4);
  for (const n of [1, 2]) await fail(id, n);
  await end(id, 4, status, label);
  await fail(id, 3);
  expect((await admit(id)).failing !== null).toBe(keeps);
});

test('a trial that began before the failing ones and has a result after them ends the hold', async () => {
  await insertResearch(bench.db, 'late');
  await admit('late', 4);
  for (const n of [2, 3, 4]) await fail('late', n);
  expect((await admit('late')).failing).not.toBeNull();
  await end('late', 1, 'completed', null);
  expect((await admit('late')).failing).toBeNull();
});

test('a research whose budget is spent does not wait for the database', async () => {
  await insertResearch(bench.db, 'spent', { budget: Budget.parse({ proposals: 3 }) });
  await admit('spent', 3);
  for (const n of [1, 2, 3]) await fail('spent', n);
  expect(await admit('spent')).toMatchObject({
    spent: expect.stringContaining('budget.proposals'),
    failing: null,
  });
});

test('seconds on slots stay charged, and the trials do not slow the research down beside the hold', async () => {
  await insertResearch(bench.db, 'charged');
  await admit('charged', 12);
  await bench.db.update(trials).set({ seconds: 2 }).where(eq(trials.researchId, 'charged'));
  for (let n = 1; n <= 12; n += 1) await fail('charged', n);
  expect(await admit('charged')).toMatchObject({ paceSeconds: 0, held: false });
  const [row] = await bench.db.select().from(researches).where(eq(researches.id, 'charged'));
  expect(row).toMatchObject({ slotSeconds: 24, refunded: { search: 12 }, withoutNew: 0 });
});

test('after three failed setups one trial tries hourly or when asked; a changed task ends the hold', async () => {
  await insertResearch(bench.db, 'setup');
  await admit('setup', 3);
  for (const n of [1, 2, 3]) await end('setup', n, 'lost', 'setup-failed');
  const held = await admit('setup');
  expect(held).toMatchObject({ trials: [], failing: expect.stringContaining('it failed') });
  expect(numbersOf(await admit('setup', 4, true))).toEqual([4]);
  expect(numbersOf(await admit('setup', 4, true))).toEqual([]);
  await end('setup', 4, 'lost', 'setup-failed');
  expect(await admit('setup')).toMatchObject({ trials: [], failing: held.failing });
  await letMinutesPass('setup', 60);
  expect(numbersOf(await admit('setup'))).toEqual([5]);
  await end('setup', 5, 'lost', 'setup-failed');
  const [version] = await bench.db.select().from(taskVersions).limit(1);
  if (version) await bench.db.insert(taskVersions).values({ ...version, hash: 'mended' });
  await bench.db.update(researches).set({ taskHash: 'mended' }).where(eq(researches.id, 'setup'));
  expect(await admit('setup')).toMatchObject({ failing: null });
});
