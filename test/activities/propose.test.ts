import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createProposeActivities, type ProposeInput, type ProposeResult } from '../../activities/propose.ts';
import { trials } from '../../db/schema.ts';
import { insertResearch, TASK, trialRow, WINNER } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';
import { parentFiles } from '../../activities/propose/parent-files.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';

const bench = useDatabase();

/** Proposes the injected trial 2, whose candidate was stopped as trial 1. */
async function after(id: string): Promise<ProposeResult> {
  await insertResearch(bench.db, id, { lastN: 2 });
  await bench.db
    .insert(trials)
    .values([
      trialRow(id, 1, { candidateId: WINNER, status: 'aborted', failure: 'cannot-win' }),
      trialRow(id, 2, { kind: 'injected', candidateId: WINNER, readyAt: new Date() }),
    ]);
  const deps = { store: bench.store, reach: () => undefined } as unknown as ActivityDeps;
  const { propose } = createProposeActivities(deps);
  return new MockActivityEnvironment().run<[ProposeInput], ProposeResult, typeof propose>(propose, {
    trialId: `${id}/2`,
  });
}

test('a candidate that was stopped since it could not win runs if a person injects it', async () => {
  expect(await after('on purpose')).toEqual({ state: 'ready' });
});

describe('the files of a parent', () => {
  const store = {
    trial: {
      loadCandidate: () => Promise.resolve({ files: { 'train.mjs': 'mine', 'old.mjs': 'was mutable' }, deleted: [] }),
    },
    task: {
      loadOriginals: () =>
        Promise.resolve([
          { path: 'train.mjs', content: Buffer.from('original') },
          { path: 'new.mjs', content: Buffer.from('original, too') },
        ]),
    },
  } as unknown as ActivityDeps['store'];

  test('a parent from before a change of task has the files that are mutable now, its own if it has them', async () => {
    const version = { hash: 'v', task: TASK, mutablePaths: ['new.mjs', 'train.mjs'] } as TaskVersion;
    expect(await parentFiles(store, { parentId: 'p', version })).toEqual({
      'new.mjs': 'original, too',
      'train.mjs': 'mine',
    });
  });
});
