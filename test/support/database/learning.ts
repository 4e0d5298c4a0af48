import type { Db } from '../../../db/connect.ts';
import { policies, rolloutGroups, rollouts, updates } from '../../../db/schema.ts';
import { BASELINE, hashOf, insertResearch, storeTrials, trialRow } from '../../cli/support/lineage.ts';

export const CHECKPOINT = hashOf('version 1');
export const STEP_KEY = hashOf('step 1');

/** Metrics of update 1. */
export const METRICS = { entropy: 1.25, klShare: 0.1, gradNorm: 2, rewardMean: 0.25 };

const REWARDS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.9, null, 0.7];

/**
 * Inserts a research that learns by batches of four samples in groups of two. Update 1 made version 1 from the trials 2
 * to 5. Update 2 is due with the trials 6 to 9, one of them lost. Update 3 has trial 10, which has ended, and trial 11,
 * which has not.
 */
export async function insertLearning(
  db: Db,
  id: string,
  policy: Partial<typeof policies.$inferInsert> = {},
): Promise<void> {
  await insertResearch(db, id, { lastN: 11, proposer: 'random' });
  await storeTrials(db, trialRow(id, 1, { kind: 'baseline', candidateId: BASELINE, status: 'completed', value: 2 }));
  await db.insert(policies).values({ researchId: id, inForce: 1, ...policy });
  for (const g of [1, 2, 3, 4, 5])
    await db
      .insert(rolloutGroups)
      .values({ researchId: id, g, parentId: BASELINE, parentReason: 'best', version: g < 3 ? 0 : 1 });
  for (const [index, reward] of [...REWARDS, undefined].entries())
    await insertSample(db, { id, seq: index + 1, reward });
  const batch = (from: number): string[] => [0, 1, 2, 3].map((n) => `${id}/${from + n}`);
  const step = { stepKey: STEP_KEY, checkpoint: CHECKPOINT, metrics: METRICS };
  const fired = [
    { gate: { metric: 'entropy', below: 2, then: 'tell' as const }, value: 1.25, words: 'entropy fell to 1.25' },
  ];
  await db.insert(updates).values([
    {
      researchId: id,
      k: 1,
      state: 'done',
      batch: batch(2),
      parent: 0,
      ...step,
      fired,
      seconds: { load: 1, forward: 2.5, backward: 3 },
      versions: { torch: '2.9', threads: 1 },
      skipped: [{ id: `${id}/3`, reason: 'no feedback' }],
      begunAt: new Date('2026-11-01T12:00:00Z'),
      endedAt: new Date('2026-11-01T12:00:10Z'),
    },
    { researchId: id, k: 2, state: 'due', batch: batch(6), dueAt: new Date('2026-11-01T12:01:00Z') },
  ]);
}

/** Inserts sample `seq`, of trial `seq` + 1. A reward of undefined: its trial is under way; null: it was lost. */
async function insertSample(
  db: Db,
  { id, seq, reward }: { id: string; seq: number; reward: number | null | undefined },
): Promise<void> {
  const [n, g] = [seq + 1, Math.ceil(seq / 2)];
  const ended = reward === undefined ? {} : { status: reward === null ? ('lost' as const) : ('completed' as const) };
  const endedAt = reward === undefined ? null : new Date(Date.UTC(2026, 10, 1, 11, 0, n));
  await storeTrials(db, trialRow(id, n, { candidateId: BASELINE, reward: reward ?? null, endedAt, ...ended }));
  const policyVersion = g < 3 ? 'base' : CHECKPOINT;
  await db.insert(rollouts).values({
    trialId: `${id}/${n}`,
    researchId: id,
    seq,
    g,
    k: Math.ceil(seq / 4),
    policyVersion: reward === undefined ? null : policyVersion,
  });
}
