import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dropOld } from '../../../activities/learn.ts';
import { holdVersion } from '../../../db/learning/weights.ts';
import { steerPolicy } from '../../../db/learning/steer-policy.ts';
import { policies, researches, trials, updates } from '../../../db/schema.ts';
import type { StepBatch } from '../../../domain/learning/step.ts';
import { openCheckpoints } from '../../../infra/policy/checkpoints.ts';
import { BASELINE, storeTrials, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { resultOf, useLearner } from './support/learner.ts';
import { GRPO, useLearning } from './support/learning.ts';

const bench = useDatabase();
const { learning, begun, sampled } = useLearning(bench);
const learner = useLearner(bench);
const TWO = { ...GRPO, keep: 2 };

let home: string;
beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'perpetua-weights-'))));
afterEach(() => rm(home, { recursive: true }));

/** A worker whose steps leave checkpoints in the home. */
const worker = (around: Parameters<typeof learner>[1] = {}) => {
  const checkpoints = openCheckpoints(home);
  const step = async (batch: StepBatch) => {
    await mkdir(checkpoints.folder(batch.stepKey), { recursive: true });
    await writeFile(join(checkpoints.folder(batch.stepKey), 'weights'), 'x'.repeat(1000));
    return resultOf(batch);
  };
  return learner(step, { checkpoints, ...around });
};
const updatesOf = (id: string) => bench.db.select().from(updates).where(eq(updates.researchId, id)).orderBy(updates.k);
/** Versions that have weights by the rows. Expects the same on the disk. */
async function kept(id: string): Promise<number[]> {
  const rows = (await updatesOf(id)).filter(({ checkpoint, removedAt }) => checkpoint !== null && removedAt === null);
  expect(await readdir(join(home, 'checkpoints'))).toEqual(rows.map(({ stepKey }) => stepKey).sort());
  return rows.map(({ k }) => k);
}
async function learnt(id: string, ks: number[], learn = worker()): Promise<void> {
  for (const k of ks) {
    for (const n of [2 * k - 1, 2 * k]) await sampled(id, n, TWO);
    await learn(id, k);
  }
}

describe('weights', () => {
  test('of the newest versions stay, and those before them go', async () => {
    await learning('old', TWO);
    await learnt('old', [1, 2, 3, 4]);
    expect(await kept('old')).toEqual([3, 4]);
    expect((await updatesOf('old')).map(({ state }) => state)).toEqual(Array(4).fill('done'));
  });

  test('of the version in force, of one that a person named, and of one still to be sampled stay', async () => {
    await learning('named', TWO);
    await learnt('named', [1, 2]);
    await holdVersion(bench.db, { researchId: 'named', k: 1 });
    await steerPolicy(bench.db, { researchId: 'named', wish: { kind: 'rollback', version: 2 }, because: null });
    // A sample of version 2, which is in force, that is not drawn yet.
    await begun('named', 5, TWO);
    await bench.db.update(policies).set({ inForce: 0 }).where(eq(policies.researchId, 'named'));
    for (const k of [3, 4, 5, 6]) {
      const batch = JSON.stringify([`named/${k}`]);
      await bench.db.execute(`insert into updates (research_id, k, state, batch, step_key, checkpoint)
        values ('named', ${k}, 'done', '${batch}', '${String(k).repeat(64)}', 'made')`);
      await mkdir(join(home, 'checkpoints', String(k).repeat(64)));
    }
    await bench.db.execute(`insert into updates (research_id, k, state, batch, parent, begun_at)
      values ('named', 7, 'due', '["named/1", "named/2"]', 4, now())`);
    const checkpoints = openCheckpoints(home);
    let during: number[] = [];
    const step = async (batch: StepBatch) => {
      during = await kept('named');
      await mkdir(checkpoints.folder(batch.stepKey));
      return resultOf(batch);
    };
    await learner(step, { checkpoints })('named', 7);
    expect(during).toEqual([1, 2, 4, 5, 6]);
    // The parent of version 7 is not in use any more.
    expect(await kept('named')).toEqual([1, 2, 6, 7]);
  });

  test('of a group that lacks members stay until it has them, though another version is in force', async () => {
    const one = { ...GRPO, keep: 1, batch: 4, group: 4, staleness: 1 };
    await learning('partial', one);
    for (const n of [1, 2, 3, 4]) await sampled('partial', n, one);
    await worker()('partial', 1);
    // The first sample of its group, which is drawn.
    await sampled('partial', 5, one);
    for (const k of [2, 3]) {
      await bench.db.execute(`insert into updates (research_id, k, state, batch, step_key, checkpoint)
        values ('partial', ${k}, 'done', '[]', '${`${k}a`.repeat(32)}', 'made')`);
      await mkdir(join(home, 'checkpoints', `${k}a`.repeat(32)));
    }
    await bench.db.update(policies).set({ inForce: 3 }).where(eq(policies.researchId, 'partial'));
    const { store } = bench;
    const deps = { store, policy: { checkpoints: openCheckpoints(home) }, reach: () => undefined } as never;
    await dropOld(deps, 'partial', { keep: 1, group: 4 });
    expect(await kept('partial')).toEqual([1, 3]);
    expect(await store.learning.findGroupByNumber({ researchId: 'partial', g: 2 })).toMatchObject({ version: 1 });
    for (const n of [6, 7, 8]) await sampled('partial', n, one);
    await dropOld(deps, 'partial', { keep: 1, group: 4 });
    expect(await kept('partial')).toEqual([3]);
  });

  test('with which another research began stay until it has ended', async () => {
    await learning('root', TWO);
    await learnt('root', [1, 2]);
    await learning('heir', TWO);
    const [, version] = await updatesOf('root');
    const { checkpoint = null, stepKey = null } = version ?? {};
    const base = { base: 'root@2', model: 'tiny', checkpoint, stepKey, adapter: null, descent: [] };
    await bench.store.learning.insertPolicyBase({ researchId: 'heir', ...base });
    await learnt('root', [3, 4]);
    expect(await kept('root')).toEqual([2, 3, 4]);
    await bench.db.update(researches).set({ phase: 'stopped' }).where(eq(researches.id, 'heir'));
    await learnt('root', [5]);
    expect(await kept('root')).toEqual([4, 5]);
  });

  test('of an evaluated version stay until all its samples are drawn or withdrawn', async () => {
    await learning('held-out', TWO);
    await learnt('held-out', [1, 2]);
    const researchId = 'held-out';
    const request = (version: number) =>
      bench.store.withResearch(researchId, (tx, { baselineCandidate: candidateId }) =>
        tx.research.insertEvaluations({ researchId, candidateId, version, samples: 2 }),
      );
    await request(1);
    await request(2);
    await learnt('held-out', [3, 4]);
    expect(await kept('held-out')).toEqual([1, 2, 3, 4]);
    // Both samples of version 1 have begun, and one of them is drawn.
    const waiting = await bench.store.research.findWantedEvaluations({ researchId, limit: 2 });
    for (const [index, { id }] of waiting.entries()) {
      const candidateId = index === 0 ? BASELINE : null;
      await storeTrials(bench.db, trialRow(researchId, 101 + index, { kind: 'evaluation', candidateId }));
      await bench.store.research.numberWantedRuns([{ id, n: 101 + index }]);
    }
    await learnt('held-out', [5]);
    expect(await kept('held-out')).toEqual([1, 2, 4, 5]);
    // The other answer was unreadable, and the samples of version 2 are withdrawn.
    await bench.db.update(trials).set({ status: 'rejected' }).where(eq(trials.id, 'held-out/102'));
    await bench.store.withResearch(researchId, (tx) => tx.research.withdrawEvaluations(researchId));
    await learnt('held-out', [6]);
    expect(await kept('held-out')).toEqual([5, 6]);
  });

  test('that are gone cannot be pinned, rolled back to or exported', async () => {
    await learning('gone', TWO);
    await learnt('gone', [1, 2, 3]);
    const words = /those of version 1 were removed to make room \(search\.update\.keep\)/;
    for (const kind of ['pin', 'rollback'] as const)
      await expect(
        steerPolicy(bench.db, { researchId: 'gone', wish: { kind, version: 1 }, because: null }),
      ).rejects.toThrow(words);
    await expect(holdVersion(bench.db, { researchId: 'gone', k: 1 })).rejects.toThrow(words);
    expect((await bench.db.select().from(policies).where(eq(policies.researchId, 'gone')))[0]).toMatchObject({
      inForce: 3,
      pinned: false,
    });
  });

  test('that a worker was about to remove when it died go with the next update', async () => {
    await learning('died', TWO);
    await learnt('died', [1, 2]);
    let dropped = 0;
    const dies = worker({
      reach: (point) => {
        // Before its step there is nothing to remove; after it version 1.
        if (point === 'weights-dropped' && (dropped += 1) === 2) throw new Error('killed');
      },
    });
    await expect(learnt('died', [3], dies)).rejects.toThrow('killed');
    expect(await readdir(join(home, 'checkpoints'))).toHaveLength(3);
    // Version 1, half removed by another worker.
    await mkdir(join(home, 'checkpoints', `.old-${(await updatesOf('died'))[0]?.stepKey}`));
    await learnt('died', [4]);
    expect(await kept('died')).toEqual([3, 4]);
  });
});

describe('a step that may fill the disk', () => {
  test('waits, says so, and makes no half version', async () => {
    await learning('full', TWO);
    await learnt('full', [1]);
    for (const n of [3, 4]) await sampled('full', n, TWO);
    const floor = 512 * 2 ** 20;
    await expect(worker({ freeBytes: () => floor + 1999 })('full', 2)).rejects.toThrow(
      'policy: disk: 512 MiB free, at least 513 MiB needed (512, and twice the 1 of a checkpoint)',
    );
    expect(await updatesOf('full')).toMatchObject([{ state: 'done' }, { state: 'due', checkpoint: null }]);
    expect(await kept('full')).toEqual([1]);
    expect((await bench.store.research.findResearch('full'))?.endpointDown).toContain('make room (npx perpetua clean)');
    await worker({ freeBytes: () => floor + 2000 })('full', 2);
    expect(await kept('full')).toEqual([1, 2]);
    expect((await bench.store.research.findResearch('full'))?.endpointDown).toBeNull();
  });
});
