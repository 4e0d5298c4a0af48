import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Conclusions, OutcomeObserver } from '../../../activities/outcome/observer.ts';
import { OBSERVERS } from '../../../activities/outcome/observers.ts';
import { settle } from '../../../activities/outcome/settle.ts';
import { alerts, researches, trials } from '../../../db/schema.ts';
import { BASELINE, insertResearch, trialRow, WINNER } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

const outcome = (researchId: string, n: number, value: number) => ({
  trialId: `${researchId}/${n}`,
  researchId,
  status: 'completed' as const,
  failure: null,
  value,
  metrics: {},
  evaluatorNotes: null,
  trusted: true,
});

/** A research that has its baseline, and a search trial 4 that is under way. */
async function calibrated(id: string): Promise<void> {
  await insertResearch(bench.db, id);
  const baseline = [1, 2, 3].map((n) => trialRow(id, n, { kind: 'baseline', candidateId: BASELINE }));
  await bench.db.insert(trials).values([...baseline, trialRow(id, 4, { candidateId: WINNER, parentId: BASELINE })]);
  for (const n of [1, 2, 3]) await settle(bench.store, outcome(id, n, 2));
}

const stored = async (id: string) => ({
  trial: (
    await bench.db
      .select()
      .from(trials)
      .where(eq(trials.id, `${id}/4`))
  )[0],
  research: (await bench.db.select().from(researches).where(eq(researches.id, id)))[0],
  alerts: (await bench.db.select().from(alerts).where(eq(alerts.researchId, id))).map(({ message }) => message),
});

test('an observer receives an outcome once, after the gate, and writes in the same transaction', async () => {
  await calibrated('heard');
  const received: Conclusions[] = [];
  const observer: OutcomeObserver = async ({ tx, research, trial }, before) => {
    received.push(before);
    expect(trial).toMatchObject({ n: 4, status: 'completed', value: 1 });
    // Other transactions do not see it yet.
    expect((await stored('heard')).trial).toMatchObject({ status: null });
    await tx.research.insertAlert({ researchId: research.id, message: `told ${before.verdict}` });
    return {};
  };
  const answers = [];
  for (let attempt = 0; attempt < 2; attempt += 1)
    answers.push(await settle(bench.store, outcome('heard', 4, 1), [...OBSERVERS, observer]));
  expect(answers).toMatchObject([{ verdict: 'keep' }, { verdict: 'keep' }]);
  expect(received).toMatchObject([{ verdict: 'keep', advance: { claimed: { candidateId: WINNER } } }]);
  expect((await stored('heard')).alerts).toEqual(['told keep']);
});

test('an observer that throws rolls back the outcome and all writes; the next attempt stores it whole', async () => {
  await calibrated('thrown');
  const before = await stored('thrown');
  const throws: OutcomeObserver = async ({ tx, research }) => {
    await tx.research.insertAlert({ researchId: research.id, message: 'too early' });
    throw new Error('it cannot be counted');
  };
  const first = settle(bench.store, outcome('thrown', 4, 1), [...OBSERVERS, throws]);
  await expect(first).rejects.toThrow('it cannot be counted');
  expect(await stored('thrown')).toEqual(before);
  expect(before.trial).toMatchObject({ status: null });
  expect(await settle(bench.store, outcome('thrown', 4, 1))).toMatchObject({ n: 4, verdict: 'keep' });
});
