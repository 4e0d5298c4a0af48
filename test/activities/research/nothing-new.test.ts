import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { taskVersions, trials, wantedRuns } from '../../../db/schema.ts';
import { BASELINE, insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

const ask = (researchId: string, key: string, room: number) => ({
  researchId,
  key,
  room,
  activeSeconds: 0,
  proposals: true,
});

describe('a proposer that has nothing new to draw', () => {
  type Row = Parameters<typeof trialRow>[2];
  const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const found: Row = {
    status: 'rejected',
    failure: 'nothing-new',
    failureMessage: 'every value of the knobs has been tried',
    proposer: 'random',
    createdAt: at(10),
    endedAt: at(11),
  };
  const admitted = async (id: string, rows: Row[], more = {}) => {
    await insertResearch(bench.db, id, { lastN: rows.length, ...more });
    await bench.db.insert(trials).values(rows.map((row, index) => trialRow(id, index + 1, row)));
    return admitTrials(bench.store, ask(id, 'k1', 1));
  };
  const done: Row = { status: 'completed', value: 1, candidateId: BASELINE };

  test('ends the proposals, says why, and leaves runs that the gate wants', async () => {
    const { spent, trials: none } = await admitted('tried', [{ ...done, endedAt: at(9) }, found]);
    expect(none).toEqual([]);
    expect(spent).toBe(
      'every value of the knobs has been tried; ' +
        'to continue, widen a knob (changeTask), or start the research with another proposer',
    );
    await bench.db.insert(wantedRuns).values({ researchId: 'tried', kind: 'confirm', candidateId: BASELINE });
    expect(await admitTrials(bench.store, ask('tried', 'k2', 1))).toMatchObject({
      trials: [{ kind: 'confirm' }],
      spent,
    });
  });

  test.each<[string, Row[], object?]>([
    ['ends without a value', [found, { status: 'crashed', createdAt: at(9), endedAt: at(12) }]],
    ['was under way and completes', [found, { ...done, createdAt: at(9), endedAt: at(12) }]],
    ['is rejected for the same reason', [found, { ...found, endedAt: at(12) }]],
    ['is a run that the gate requested', [found, { ...done, kind: 'confirm', createdAt: at(12), endedAt: at(13) }]],
  ])('proposes nothing, even if a later trial %s', async (what, rows) => {
    expect(await admitted(`stays: ${what}`, rows)).toMatchObject({ trials: [] });
  });

  test.each<[string, Row[], object?]>([
    [
      'a trial that was under way is lost',
      [found, { status: 'lost', failure: 'machine-lost', createdAt: at(9), endedAt: at(12) }],
    ],
    [
      'a person stopped a trial that was under way',
      [found, { status: 'aborted', failure: 'stopped-by-operator', endedAt: at(12) }],
    ],
    ['a person has brought an edit', [found, { ...done, kind: 'injected', createdAt: at(9), endedAt: at(12) }]],
    ['another candidate was tried later', [found, { ...done, createdAt: at(12), endedAt: at(13) }]],
    ['another proposer takes over', [found], { proposer: 'llm' }],
    ['the rejected trial belonged to another task', [{ ...found, taskHash: 'task-2' }]],
  ])('proposes again if %s', async (what, rows, more) => {
    await insertResearch(bench.db, `before ${what}`);
    const [version] = await bench.db.select().from(taskVersions).where(eq(taskVersions.hash, 'task-1'));
    if (version)
      await bench.db
        .insert(taskVersions)
        .values({ ...version, hash: 'task-2' })
        .onConflictDoNothing();
    expect(await admitted(`new: ${what}`, rows, more)).toMatchObject({ trials: [{ kind: 'search' }], spent: null });
  });
});
