import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settle } from '../../../../activities/outcome/settle.ts';
import { researches, trials } from '../../../../db/schema.ts';
import type { TrialKind, TrialStatus } from '../../../../domain/trial.ts';
import { BASELINE, insertResearch, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();

const outcome = (researchId: string, n: number, status: TrialStatus) => ({
  trialId: `${researchId}/${n}`,
  researchId,
  status,
  failure: null,
  value: status === 'completed' ? 1 : null,
  metrics: {},
  evaluatorNotes: null,
  trusted: true,
});

const counters = async (id: string) => {
  const { slotSeconds, refunded, withoutNew } = researches;
  const rows = await bench.db
    .select({ slotSeconds, refunded, withoutNew })
    .from(researches)
    .where(eq(researches.id, id));
  return rows[0];
};

/** Inserts a research with trials of these kinds under way, each with 2.5 seconds on a slot. */
async function underWay(id: string, kinds: TrialKind[]): Promise<void> {
  await insertResearch(bench.db, id);
  const more = (kind: TrialKind) => ({ kind, seconds: 2.5, ...(kind === 'search' ? {} : { candidateId: BASELINE }) });
  await bench.db.insert(trials).values(kinds.map((kind, index) => trialRow(id, index + 1, more(kind))));
}

test('an outcome adds the seconds on its slot, and refunds a trial that ran nothing, once', async () => {
  await underWay('once', ['baseline', 'search', 'search', 'search', 'search']);
  const ends: TrialStatus[] = ['completed', 'cached', 'rejected', 'cached', 'lost'];
  const seen = [];
  for (const [index, status] of ends.entries()) {
    const settled = [];
    for (let again = 0; again < 3; again += 1)
      settled.push(await settle(bench.store, outcome('once', index + 1, again === 0 ? status : 'rejected')));
    expect(settled).toEqual([settled[0], settled[0], settled[0]]);
    seen.push(await counters('once'));
  }
  expect(seen).toEqual([
    { slotSeconds: 2.5, refunded: {}, withoutNew: 0 },
    { slotSeconds: 5, refunded: { search: 1 }, withoutNew: 1 },
    { slotSeconds: 7.5, refunded: { search: 2 }, withoutNew: 2 },
    { slotSeconds: 10, refunded: { search: 3 }, withoutNew: 3 },
    { slotSeconds: 12.5, refunded: { search: 3 }, withoutNew: 0 },
  ]);
});

test('concurrent outcomes are counted once each', async () => {
  const kinds = Array.from({ length: 8 }, () => 'search' as const);
  await underWay('at-once', kinds);
  const stores = Array.from({ length: 4 }, () => bench.another());
  const all = stores.flatMap((store) =>
    kinds.map((_, index) => settle(store, outcome('at-once', index + 1, 'cached'))),
  );
  await Promise.all(all);
  expect(await counters('at-once')).toEqual({ slotSeconds: 20, refunded: { search: 8 }, withoutNew: 8 });
});
