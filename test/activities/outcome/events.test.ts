import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { overrideVerdict } from '../../../activities/steer.ts';
import type { OutcomeObserver } from '../../../activities/outcome/observer.ts';
import { OBSERVERS } from '../../../activities/outcome/observers.ts';
import { settle } from '../../../activities/outcome/settle.ts';
import { events, researches, trials } from '../../../db/schema.ts';
import { BASELINE, BROKEN, insertResearch, TASK, trialRow, WINNER } from '../../cli/support/lineage.ts';
import { readAllEvents } from '../../db/event/read-all-events.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

const outcome = (researchId: string, n: number, value: number | null) => ({
  trialId: `${researchId}/${n}`,
  researchId,
  value,
  metrics: {},
  evaluatorNotes: null,
  trusted: true,
  ...(value === null
    ? { status: 'crashed' as const, failure: { label: 'exit-code' as const, message: 'expected exit code 0, got 1' } }
    : { status: 'completed' as const, failure: null }),
});

const eventsOf = (id: string) => readAllEvents(bench.db, id);

const kindsOf = async (id: string) => (await eventsOf(id)).map(({ kind, n }) => (n === null ? kind : `${kind} ${n}`));

/** A research that has its baseline of 2, and search trials 4 and 5 under way. */
async function calibrated(id: string, more: Partial<typeof researches.$inferInsert> = {}): Promise<void> {
  await insertResearch(bench.db, id, more);
  const baseline = [1, 2, 3].map((n) => trialRow(id, n, { kind: 'baseline', candidateId: BASELINE }));
  const search = [WINNER, BROKEN].map((candidateId, index) =>
    trialRow(id, 4 + index, { candidateId, parentId: BASELINE }),
  );
  await bench.db.insert(trials).values([...baseline, ...search]);
  for (const n of [1, 2, 3]) await settle(bench.store, outcome(id, n, 2));
  await bench.db.delete(events).where(eq(events.researchId, id));
}

describe('an outcome', () => {
  test('has events of its end, its verdict, the lead and the claim, in one transaction and once', async () => {
    await calibrated('wins');
    for (let attempt = 0; attempt < 2; attempt += 1) await settle(bench.store, outcome('wins', 4, 1));
    const lines = await eventsOf('wins');
    expect(lines).toMatchObject([
      {
        kind: 'trial-ended',
        n: 4,
        data: { kind: 'search', status: 'completed', failure: null, value: 1 },
      },
      { kind: 'trial-ruled', n: 4, data: { verdict: 'keep', by: 'gate' } },
      { kind: 'lead-moved', n: 4, data: { candidateId: WINNER, previous: BASELINE, value: 1 } },
      {
        kind: 'claim-made',
        n: 4,
        data: { candidateId: WINNER, previous: BASELINE, value: 1, by: 'gate' },
      },
    ]);
    expect(new Set(lines.map(({ xid }) => xid)).size).toBe(1);
    const [claim] = await bench.db.query.claims.findMany({ where: (row) => eq(row.researchId, 'wins') });
    expect(lines[3]?.data).toMatchObject({ reason: claim?.reason });
  });

  test('that moves nothing has events of its end and its verdict', async () => {
    await calibrated('fails');
    await settle(bench.store, outcome('fails', 5, null));
    expect(await eventsOf('fails')).toMatchObject([
      { kind: 'trial-ended', n: 5, data: { status: 'crashed', failure: 'exit-code', value: null } },
      { kind: 'trial-ruled', n: 5, data: { verdict: 'discard', reason: expect.stringContaining('got 1') as unknown } },
    ]);
  });

  test('that brings a verdict on an earlier trial has an event of that, too', async () => {
    await insertResearch(bench.db, 'waits');
    const rows = [1, 2, 3].map((n) => trialRow('waits', n, { kind: 'baseline', candidateId: BASELINE }));
    await bench.db.insert(trials).values([...rows, trialRow('waits', 4, { candidateId: WINNER, parentId: BASELINE })]);
    // Trial 4 gets no verdict before the baseline is complete.
    await settle(bench.store, outcome('waits', 4, 1));
    for (const n of [1, 2, 3]) await settle(bench.store, outcome('waits', n, 2));
    const lines = await eventsOf('waits');
    const end = lines.findIndex(({ kind, n }) => kind === 'trial-ended' && n === 3);
    expect(lines.slice(end)).toContainEqual(
      expect.objectContaining({
        kind: 'trial-ruled',
        n: 4,
        data: expect.objectContaining({ verdict: 'keep' }) as unknown,
      }),
    );
  });

  test('that is rolled back has no event', async () => {
    await calibrated('back');
    const throws: OutcomeObserver = () => Promise.reject(new Error('it cannot be counted'));
    await expect(settle(bench.store, outcome('back', 4, 1), [...OBSERVERS, throws])).rejects.toThrow('counted');
    expect(await kindsOf('back')).toEqual([]);
  });
});

describe('a share of a budget', () => {
  test('has one event for each limit, and a new one once the limit is changed', async () => {
    const budget = { ...TASK.budget, trials: 10, tokens: 100 };
    await calibrated('spends', { budget, admitted: { search: 5 }, tokens: 10 });
    const shares = async () =>
      (await eventsOf('spends')).filter(({ kind }) => kind === 'budget-share').map(({ data }) => data);
    await settle(bench.store, outcome('spends', 4, 3));
    await bench.db
      .update(researches)
      .set({ admitted: { search: 6 }, tokens: 120 })
      .where(eq(researches.id, 'spends'));
    await settle(bench.store, outcome('spends', 5, 3));
    const half = { limit: 'trials', share: 50, spent: 5, of: 10 };
    expect(await shares()).toEqual([half, { limit: 'tokens', share: 100, spent: 120, of: 100 }]);
    await bench.db
      .update(researches)
      .set({ budget: { ...budget, trials: 12 } })
      .where(eq(researches.id, 'spends'));
    await bench.db.insert(trials).values(trialRow('spends', 6, { candidateId: BROKEN, parentId: BASELINE }));
    await settle(bench.store, outcome('spends', 6, 3));
    expect(await shares()).toHaveLength(3);
    expect((await shares()).at(-1)).toEqual({ ...half, spent: 6, of: 12 });
  });
});

test("a person's verdict has an event of the claim that it takes back, and by whom", async () => {
  await calibrated('word');
  await settle(bench.store, outcome('word', 4, 1));
  await bench.db.delete(events).where(eq(events.researchId, 'word'));
  const word = { researchId: 'word', n: 4, verdict: 'discard' as const, reason: 'it cheats', sender: 'page' as const };
  expect(await overrideVerdict(bench.store, word)).toBeUndefined();
  expect(await eventsOf('word')).toMatchObject([
    { kind: 'overruled', n: 4, data: { from: 'keep', verdict: 'discard', reason: 'it cheats', sender: 'page' } },
    { kind: 'trial-ruled', n: 4, data: { verdict: 'discard', by: 'person' } },
    { kind: 'lead-moved', n: null, data: { candidateId: BASELINE, previous: WINNER } },
    {
      kind: 'claim-taken-back',
      n: 4,
      data: { candidateId: WINNER, inPlace: BASELINE, by: 'person', reason: 'overridden by a person: it cheats' },
    },
  ]);
});

test('an admission has one event for each trial, with its row', async () => {
  await insertResearch(bench.db, 'admits', { phase: 'starting' });
  const ask = { researchId: 'admits', key: 'k', room: 2, activeSeconds: 0, proposals: true };
  for (let attempt = 0; attempt < 2; attempt += 1) await admitTrials(bench.store, ask);
  expect(await eventsOf('admits')).toMatchObject([
    { kind: 'trial-admitted', n: 1, data: { kind: 'search', candidateId: null, ofTrial: null } },
    { kind: 'trial-admitted', n: 2 },
    { kind: 'phase', n: null, data: { from: 'starting', phase: 'running', reason: null } },
  ]);
});
