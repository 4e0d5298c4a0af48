import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { createProposeActivities } from '../../../../activities/propose.ts';
import { findListProblem } from '../../../../activities/task/find-list-problem.ts';
import * as schema from '../../../../db/schema.ts';
import { Task } from '../../../../domain/task/task.ts';
import { hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { knobResearch } from '../../../support/database/knob-research.ts';

const bench = useDatabase();
const KNOBS = [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0, 100] }];
const taskWith = (replay: object) =>
  Task.parse({ ...TASK, knobs: KNOBS, search: { proposer: { name: 'replay', ...replay } } });
const LIST = '{"knobs": {"LR": 3}}\n{"knobs": {"LR": 1}}\n{"knobs": {"LR": 3}}\n{"knobs": {"LR": 4}}\n';

const deps = (): ActivityDeps =>
  ({ store: bench.store, machine: { sha256: hashOf }, reach: () => undefined }) as unknown as ActivityDeps;

/** A research that replays, under a task version of its own with the knob LR and the file list.jsonl. */
async function open(id: string, replay: object): Promise<void> {
  const task = taskWith(replay);
  await insertResearch(bench.db, id);
  const taskHash = `version-${id}`;
  const version = { name: 'toy', yaml: '', stageHash: 's', evaluatorHash: 'e', metricKey: 'm' };
  await bench.db
    .insert(schema.taskVersions)
    .values({ ...version, task, hash: taskHash, immutableHash: 'i', mutablePaths: ['train.mjs'] });
  await bench.db
    .insert(schema.blobs)
    .values({ hash: hashOf(LIST), content: Buffer.from(LIST) })
    .onConflictDoNothing();
  await bench.db
    .insert(schema.taskFiles)
    .values({ taskHash, role: 'workspace', path: 'list.jsonl', blobHash: hashOf(LIST), executable: false });
  const { search, abort, keep } = task;
  await bench.db
    .update(schema.researches)
    .set({ taskHash, proposer: 'replay', settings: { search, abort, keep } })
    .where(eq(schema.researches.id, id));
}

const admit = (id: string, n: number) => storeTrials(bench.db, trialRow(id, n, { taskHash: `version-${id}` }));

const propose = async (id: string, n: number) => {
  const { propose: activity } = createProposeActivities(deps());
  await new MockActivityEnvironment().run(activity, { trialId: `${id}/${n}` });
  const { candidateId, hypothesis, failureMessage } = await bench.store.trial
    .loadTrial(`${id}/${n}`)
    .then(async ({ candidateId: candidate }) => {
      const [row] = await bench.db
        .select()
        .from(schema.trials)
        .where(eq(schema.trials.id, `${id}/${n}`));
      return { candidateId: candidate, hypothesis: row?.hypothesis, failureMessage: row?.failureMessage };
    });
  if (candidateId === null) return failureMessage;
  const files = await bench.store.trial.loadCandidateFiles(candidateId);
  return `${files['train.mjs']?.trim()} | ${hypothesis}`;
};

describe('replay of a file', () => {
  test('proposes each candidate once, in order, then says that the list has been tried', async () => {
    await open('from-file', { from: 'list.jsonl' });
    for (let n = 1; n <= 4; n += 1) await admit('from-file', n);
    expect(await propose('from-file', 1)).toBe('const LR = 3.0; | list.jsonl:1: LR 0.1 → 3.0 (train.mjs)');
    // A repeated call returns the stored proposal.
    expect(await propose('from-file', 1)).toContain('const LR = 3.0;');
    expect(await propose('from-file', 2)).toContain('const LR = 1.0;');
    expect(await propose('from-file', 3)).toContain('const LR = 4.0;');
    expect(await propose('from-file', 4)).toBe('every candidate of the list has been tried (list.jsonl)');
  });

  test('gives concurrent trials different candidates', async () => {
    await open('at-once', { from: 'list.jsonl', most: 3 });
    for (let n = 1; n <= 3; n += 1) await admit('at-once', n);
    const proposals = await Promise.all([1, 2, 3].map((n) => propose('at-once', n)));
    const values = proposals.map((text) => /^const LR = \d/.exec(text ?? '')?.[0] ?? text).toSorted();
    expect(values).toEqual(['const LR = 1', 'const LR = 3', expect.stringContaining('has been tried')]);
  });
});

describe('replay of a research', () => {
  const knobs = knobResearch(bench);

  beforeAll(async () => {
    await knobs.open('source');
    for (const [n, lr, value] of [
      [1, 7, 0.9],
      [2, 200, 0.3],
      [3, 8, 0.5],
      [4, 9, null],
    ] as const) {
      await knobs.propose('source', n, lr);
      await knobs.end('source', n, value, value === null ? 'crashed' : 'completed');
    }
    await bench.db.update(schema.researches).set({ phase: 'stopped' }).where(eq(schema.researches.id, 'source'));
  });

  test('takes its candidates in the order of their trials, and names those that the task cannot take', async () => {
    await open('in-order', { from: 'source' });
    for (let n = 1; n <= 4; n += 1) await admit('in-order', n);
    expect(await propose('in-order', 1)).toContain('const LR = 7; | trial 1 of source');
    expect(await propose('in-order', 2)).toContain('const LR = 8;');
    expect(await propose('in-order', 3)).toContain('const LR = 9;');
    expect(await propose('in-order', 4)).toBe(
      'every candidate of the list has been tried (source); ' +
        '1 cannot be used: trial 2 of source: LR: expected a number from 0 to 100, got 200',
    );
  });

  test('by value takes the best first and leaves out what has no value', async () => {
    await open('by-value', { from: 'source', order: 'best' });
    for (let n = 1; n <= 3; n += 1) await admit('by-value', n);
    expect(await propose('by-value', 1)).toContain('const LR = 8;');
    expect(await propose('by-value', 2)).toContain('const LR = 7;');
    expect(await propose('by-value', 3)).toContain('every candidate of the list has been tried');
  });

  test.each([
    [
      {},
      'search.proposer.from: expected the id of a research, or a .json or .jsonl file of the workspace, got nothing',
    ],
    [{ from: 'nobody' }, 'search.proposer.from: expected the id of another research, got "nobody"'],
    [{ from: 'me' }, 'search.proposer.from: expected the id of another research, got the research itself'],
    [{ from: 'running' }, 'search.proposer.from: expected a research that has ended, got running, which is running'],
    [{ from: 'list.jsonl' }, 'search.proposer.from: expected a file of the workspace that no proposal changes'],
    [{ from: 'bad.json' }, 'search.proposer.from: bad.json: expected a JSON array'],
  ])('is refused at the start with %o', async (replay, message) => {
    await insertResearch(bench.db, 'running').catch(() => undefined);
    const workspace = [{ path: 'bad.json', content: Buffer.from('{'), executable: false }];
    // The folder's task, which has no list, must not replace the one with the overrides of a start.
    const loaded = { workspace, mutablePaths: ['train.mjs'], task: TASK };
    const problem = await findListProblem(deps(), { researchId: 'me', task: taskWith(replay), loaded });
    expect(problem).toContain(message);
  });

  test('is accepted if it has ended', async () => {
    const loaded = { workspace: [], mutablePaths: ['train.mjs'] };
    const task = taskWith({ from: 'source', order: 'best' });
    expect(await findListProblem(deps(), { researchId: 'me', task, loaded })).toBeNull();
  });
});
