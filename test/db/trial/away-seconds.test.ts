import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { calls, trials } from '../../../db/schema.ts';
import { insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();
const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1000);

type Row = Partial<typeof calls.$inferInsert>;
/** A call whose last sending was then, and that was answered two seconds later. */
const answered = (seconds: number, more: Row = {}): Row => ({
  sentAt: at(seconds),
  answeredAt: at(seconds + 2),
  ...more,
});
/** One whose request was refused, or came back unreadable: the next turn follows. */
const refused = (seconds: number): Row => ({ sentAt: at(seconds), failed: 1, error: '400: too long' });

test.each<[what: string, rows: Row[], seconds: number]>([
  ['every call was answered at once', [answered(1), answered(3)], 0],
  ['a request was refused', [refused(1), answered(2)], 0],
  ['the first request found it away for an hour', [answered(3600, { failed: 9 })], 3600],
  ['the second one did', [answered(1), answered(603, { failed: 3 }), answered(605)], 600],
  ['it was away after a refusal, twice', [refused(1), answered(31, { failed: 2 }), answered(43, { failed: 1 })], 40],
  ['it is away still', [{ sentAt: at(60), failed: 3, error: 'connection refused' }], 0],
])('if %s, it was away for so long', async (what, rows, seconds) => {
  await insertTrials(bench.db, what, 1);
  const trialId = `${what}/1`;
  await bench.db
    .update(trials)
    .set({ createdAt: at(0), readyAt: at(4000), status: 'completed' })
    .where(eq(trials.id, trialId));
  await bench.db.insert(calls).values(rows.map((row, turn) => ({ trialId, turn, model: 'm', request: {}, ...row })));
  expect(await bench.store.trial.readAwaySeconds(trialId)).toBe(seconds);
  const told = await bench.store.trial.findEnded({ researchId: what, ns: [1] });
  expect(told).toMatchObject([{ n: 1, proposeSeconds: 4000 - seconds }]);
});
