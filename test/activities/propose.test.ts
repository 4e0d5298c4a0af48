import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createProposeActivities, type ProposeInput, type ProposeResult } from '../../activities/propose.ts';
import { trials } from '../../db/schema.ts';
import type { TrialKind } from '../../domain/trial.ts';
import { insertResearch, trialRow, WINNER } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';
import { parentFiles } from '../../activities/propose/parent-files.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';

const bench = useDatabase();

/** Proposes trial 2 of that kind, whose candidate was stopped as trial 1. */
async function after(id: string, kind: TrialKind): Promise<ProposeResult> {
  await insertResearch(bench.db, id, { lastN: 2 });
  await bench.db
    .insert(trials)
    .values([
      trialRow(id, 1, { candidateId: WINNER, status: 'aborted', failure: 'cannot-win' }),
      trialRow(id, 2, { kind, candidateId: WINNER, readyAt: new Date() }),
    ]);
  const deps = { store: bench.store, reach: () => undefined } as unknown as ActivityDeps;
  const { propose } = createProposeActivities(deps);
  return new MockActivityEnvironment().run<[ProposeInput], ProposeResult, typeof propose>(propose, {
    trialId: `${id}/2`,
  });
}

test('a candidate that was stopped since it could not win is not run again, and has no value from it', async () => {
  expect(await after('again', 'search')).toMatchObject({
    state: 'ended',
    ended: { status: 'cached', verdict: 'none' },
  });
  expect(await bench.store.trial.loadTrial('again/2')).toMatchObject({
    value: null,
    evaluatorNotes: 'the same candidate as trial 1, which was stopped early, since it could not win',
  });
  const history = await bench.store.trial.findHistory({ researchId: 'again', limit: 1 });
  expect(history[0]?.reason).toBe(
    'cached: the same candidate as trial 1, which was stopped early, since it could not win',
  );
});

test('a candidate that was stopped since it could not win runs if a person injects it', async () => {
  expect(await after('on purpose', 'injected')).toEqual({ state: 'ready' });
});

describe('the files of a parent', () => {
  const store = {
    trial: { loadCandidateFiles: () => Promise.resolve({ 'train.mjs': 'mine', 'old.mjs': 'was mutable' }) },
    task: {
      loadOriginals: () =>
        Promise.resolve([
          { path: 'train.mjs', content: Buffer.from('original') },
          { path: 'new.mjs', content: Buffer.from('original, too') },
        ]),
    },
  } as unknown as ActivityDeps['store'];

  test('a parent from before a change of task has the files that are mutable now, its own if it has them', async () => {
    const version = { hash: 'v', mutablePaths: ['new.mjs', 'train.mjs'] } as TaskVersion;
    expect(await parentFiles(store, { parentId: 'p', version })).toEqual({
      'new.mjs': 'original, too',
      'train.mjs': 'mine',
    });
  });
});
