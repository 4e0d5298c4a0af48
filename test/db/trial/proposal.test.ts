import { describe, expect, test } from 'vitest';
import { trials } from '../../../db/schema.ts';
import { BROKEN, insertResearch, trialRow, WINNER } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

type Row = Partial<typeof trials.$inferInsert>;

/** Inserts trials 1 and 2. Returns the numbers of other runs of trial 2's candidate, and the candidates already run. */
async function before(id: string, first: Row) {
  await insertResearch(bench.db, id, { lastN: 2 });
  await bench.db
    .insert(trials)
    .values([
      trialRow(id, 1, { candidateId: WINNER, ...first }),
      trialRow(id, 2, { candidateId: WINNER, readyAt: new Date() }),
    ]);
  const trial = await bench.store.trial.loadTrial(`${id}/2`);
  const known = await bench.store.trial.findCandidatesAlreadyRun({ trial, candidateIds: [WINNER, BROKEN] });
  return { runs: (await bench.store.trial.findOtherRuns(trial)).map(({ n }) => n), known };
}

test('a candidate that a trial with a higher number runs is known, too', async () => {
  await insertResearch(bench.db, 'later', { lastN: 2 });
  await bench.db.insert(trials).values([trialRow('later', 1), trialRow('later', 2, { candidateId: WINNER })]);
  const trial = { ...(await bench.store.trial.loadTrial('later/1')), candidateId: WINNER };
  expect(await bench.store.trial.findCandidatesAlreadyRun({ trial, candidateIds: [WINNER, BROKEN] })).toEqual([WINNER]);
  expect(await bench.store.trial.findOtherRuns(trial)).toMatchObject([{ n: 2 }]);
});

describe('a candidate', () => {
  test.each<[string, Row]>([
    ['is running', {}],
    ['has a value', { status: 'completed', value: 1.5 }],
    ['failed', { status: 'crashed', failure: 'exit-code' }],
    ['was stopped because it could not win', { status: 'aborted', failure: 'cannot-win' }],
  ])('that %s is known', async (what, first) => {
    expect(await before(`known: ${what}`, first)).toEqual({ runs: [1], known: [WINNER] });
  });

  test.each<[string, Row]>([
    ['a person stopped', { status: 'aborted', failure: 'stopped-by-operator' }],
    ['the platform lost', { status: 'lost', failure: 'machine-lost' }],
    ['was a copy', { status: 'cached' }],
    ['is another', { candidateId: BROKEN, status: 'completed', value: 1 }],
  ])('that %s is not known', async (what, first) => {
    const { runs, known } = await before(`new: ${what}`, first);
    expect([runs, known.includes(WINNER)]).toEqual([[], false]);
  });
});
