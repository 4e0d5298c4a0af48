import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readAbsorbed } from '../../../db/reads/page/blocks/read-absorbed.ts';
import { readLog } from '../../../db/reads/read-log.ts';
import { readTrial } from '../../../db/reads/read-trial.ts';
import { readRulings } from '../../../db/reads/read-rulings.ts';
import { candidates, researches, trials } from '../../../db/schema.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

/** Inserts a line of candidates A to C, and one beside it with the parent A. `lead`: the lead among them. */
async function withLead(id: string, lead: string): Promise<void> {
  const { state } = openGate(CONFIG, BASELINE);
  await insertResearch(bench.db, id, { lastN: 6, gate: { ...state, leadId: lead } });
  await bench.db
    .insert(candidates)
    .values(['A', 'B', 'C', 'beside'].map((name) => ({ id: name, immutableHash: 'i', files: {} })))
    .onConflictDoNothing();
  const made = (
    n: number,
    candidateId: string,
    parentId: string,
    verdict: 'discard' | 'confirm' | 'none' = 'discard',
  ) => trialRow(id, n, { candidateId, parentId, verdict, status: 'completed', value: n, endedAt: new Date(n * 1000) });
  await bench.db.insert(trials).values([
    trialRow(id, 1, {
      kind: 'baseline',
      candidateId: BASELINE,
      verdict: 'none',
      status: 'completed',
      value: 1,
      endedAt: new Date(1000),
    }),
    made(2, 'A', BASELINE),
    made(3, 'B', 'A'),
    made(4, 'beside', 'A'),
    made(5, 'C', 'B', 'confirm'),
    trialRow(id, 6, {
      kind: 'confirm',
      candidateId: 'B',
      verdict: 'none',
      status: 'completed',
      value: 1,
      endedAt: new Date(6000),
    }),
  ]);
}

const verdictsOf = async (id: string) => (await readLog(bench.db, { researchId: id })).map(({ verdict }) => verdict);

test('a discarded candidate is shown as absorbed while the lead descends from it', async () => {
  await withLead('line', 'C');
  expect(await verdictsOf('line')).toEqual(['none', 'absorbed', 'absorbed', 'discard', 'confirm', 'none']);
  const { verdicts } = await bench.store.research.readCounts({ researchId: 'line' });
  expect(verdicts).toEqual({ keep: 0, absorbed: 2, discard: 1, confirm: 1, none: 2 });
  expect((await readTrial(bench.db, { trialId: 'line/3' }))?.trial.verdict).toBe('absorbed');
  expect((await readTrial(bench.db, { trialId: 'line/4' }))?.trial.verdict).toBe('discard');
  const history = await bench.store.trial.findHistory({ researchId: 'line', limit: 10 });
  expect(history.map(({ verdict }) => verdict)).toEqual(['absorbed', 'absorbed', 'discard', 'confirm']);
  const recent = await bench.store.research.findRecentVerdicts({ researchId: 'line', limit: 10 });
  expect(recent.map(({ verdict }) => verdict)).toEqual(['confirm', 'discard', 'absorbed', 'absorbed']);
  const rulings = await readRulings(bench.db, { researchId: 'line', limit: 10 });
  expect(rulings.map(({ verdict }) => verdict)).toEqual(['confirm', 'discard', 'absorbed', 'absorbed']);
});

test('the lead itself is absorbed if it is discarded, and the stored verdict stays', async () => {
  await withLead('itself', 'beside');
  expect(await verdictsOf('itself')).toEqual(['none', 'absorbed', 'discard', 'absorbed', 'confirm', 'none']);
  const stored = await bench.db.select().from(trials).where(eq(trials.researchId, 'itself')).orderBy(trials.n);
  expect(stored.map(({ verdict }) => verdict)).toEqual(['none', 'discard', 'discard', 'discard', 'confirm', 'none']);
});

test('an absorbed candidate is a discard again once the lead goes back', async () => {
  await withLead('back', 'C');
  const { state } = openGate(CONFIG, BASELINE);
  await bench.db
    .update(researches)
    .set({ gate: { ...state, leadId: 'A' } })
    .where(eq(researches.id, 'back'));
  expect(await verdictsOf('back')).toEqual(['none', 'absorbed', 'discard', 'discard', 'confirm', 'none']);
  await bench.db
    .update(researches)
    .set({ gate: { ...state, leadId: BASELINE } })
    .where(eq(researches.id, 'back'));
  expect(await verdictsOf('back')).toEqual(['none', 'discard', 'discard', 'discard', 'confirm', 'none']);
});

test('a candidate that a person discarded stays a discard, though the lead descends from it', async () => {
  await withLead('person', 'C');
  const { state } = openGate(CONFIG, BASELINE);
  await bench.db
    .update(researches)
    .set({ gate: { ...state, leadId: 'C', discardedByPerson: ['B'] } })
    .where(eq(researches.id, 'person'));
  expect(await verdictsOf('person')).toEqual(['none', 'absorbed', 'discard', 'discard', 'confirm', 'none']);
  expect(await readAbsorbed(bench.db, 'person')).toEqual(new Set([2]));
});
