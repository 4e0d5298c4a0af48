import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, inArray, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeStepLeftovers, removeOldCheckpoints } from '../../../cli/clean/old-checkpoints.ts';
import { removeInstallLeftovers } from '../../../cli/clean/remove-install-leftovers.ts';
import { policies, policyBases, researches, rolloutGroups, updates } from '../../../db/schema.ts';
import { acquireLock } from '../../../infra/process/lock.ts';
import { useDatabase } from '../../db/support.ts';
import { insertResearch } from '../support/lineage.ts';

const bench = useDatabase();
const old = new Date(Date.now() - 7_200_000);
const options = { olderThanSeconds: 3600, dryRun: false };

let home: string;
beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'perpetua-clean-'))));
afterEach(() => rm(home, { recursive: true }));

async function folder(...path: string[]): Promise<void> {
  await mkdir(join(home, ...path), { recursive: true });
  await utimes(join(home, ...path), old, old);
}
/** Key of a checkpoint, by research and number. */
const keyOf = (id: string, k: number): string => `${Buffer.from(id).toString('hex')}${k}`.padEnd(64, '0');
const namesIn = async (...path: string[]) => (await readdir(join(home, ...path))).sort();

/** Stores a research with so many versions, the last one in force; if its phase is an end, it ended two hours ago. */
async function versions(id: string, count: number, phase: 'running' | 'stopped'): Promise<void> {
  await insertResearch(bench.db, id);
  await bench.db
    .update(researches)
    .set({ phase, updatedAt: sql`now() - interval '2 hours'` })
    .where(eq(researches.id, id));
  await bench.db.insert(policies).values({ researchId: id, inForce: count });
  for (let k = 1; k <= count; k += 1) {
    const made = { state: 'done' as const, batch: [], stepKey: keyOf(id, k), checkpoint: keyOf(id, k), endedAt: old };
    await bench.db.insert(updates).values({ researchId: id, k, ...made });
    await folder('checkpoints', keyOf(id, k));
  }
}
const removedOf = async (id: string) =>
  (await bench.db.select().from(updates).where(eq(updates.researchId, id)).orderBy(updates.k)).map(
    ({ removedAt }) => removedAt !== null,
  );

test('an ended research keeps the version in force and those that a person holds; a running one all', async () => {
  await versions('over', 5, 'stopped');
  await versions('under', 2, 'running');
  await bench.db.execute(sql`update updates set held = true where research_id = 'over' and k = 2`);
  // If it is started again, the research fills its newest group with the version of that group.
  const group = { parentId: 'x', parentReason: 'best' };
  await bench.db.insert(rolloutGroups).values([
    { researchId: 'over', g: 1, version: 1, ...group },
    { researchId: 'over', g: 2, version: 4, ...group },
  ]);
  const gone = [keyOf('over', 1), keyOf('over', 3)];
  expect(await removeOldCheckpoints(bench.db, { home, ...options, dryRun: true })).toEqual(gone);
  expect(await removedOf('over')).toEqual(Array(5).fill(false));
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual(gone);
  expect(await removedOf('over')).toEqual([true, false, true, false, false]);
  expect(await removedOf('under')).toEqual([false, false]);
  expect(await namesIn('checkpoints')).toEqual(
    [...[2, 4, 5].map((k) => keyOf('over', k)), keyOf('under', 1), keyOf('under', 2)].sort(),
  );
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([]);
});

test('the parent of a due update stays, though its research has ended', async () => {
  await versions('due', 3, 'stopped');
  await bench.db.insert(updates).values({ researchId: 'due', k: 4, batch: [], parent: 1, stepKey: keyOf('due', 4) });
  // The step of the update is done, but its result is not stored yet.
  await folder('checkpoints', keyOf('due', 4));
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([keyOf('due', 2)]);
  await bench.db.execute(
    sql`update updates set state = 'failed', ended_at = ${old} where research_id = 'due' and k = 4`,
  );
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([keyOf('due', 1), keyOf('due', 4)]);
});

test('weights with which another research began stay until it has ended, and longer if it has learnt', async () => {
  await versions('root', 4, 'stopped');
  await versions('learner', 1, 'stopped');
  for (const id of ['eval-open', 'eval-young', 'eval-over']) await insertResearch(bench.db, id);
  const ended = { phase: 'stopped' as const, updatedAt: old };
  await bench.db.update(researches).set(ended).where(eq(researches.id, 'eval-over'));
  await bench.db.update(researches).set({ phase: 'stopped' }).where(eq(researches.id, 'eval-young'));
  const based = { model: 'tiny', descent: [] };
  const bases = { learner: 1, 'eval-open': 2, 'eval-young': 2, 'eval-over': 3 };
  await bench.db.insert(policyBases).values(
    Object.entries(bases).map(([researchId, k]) => ({
      ...based,
      researchId,
      base: `root@${k}`,
      checkpoint: keyOf('root', k),
      stepKey: keyOf('root', k),
    })),
  );
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([keyOf('root', 3)]);
  // The research that made them is deleted.
  await bench.db.execute(sql`delete from updates where research_id = 'root'`);
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([keyOf('root', 4)]);
  await bench.db
    .update(researches)
    .set(ended)
    .where(inArray(researches.id, ['eval-open', 'eval-young']));
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([keyOf('root', 2)]);
  expect(await namesIn('checkpoints')).toEqual([keyOf('root', 1), keyOf('learner', 1)].sort());
});

test('a checkpoint that no update has made is removed if the database knows others of its folder', async () => {
  const unknown = 'f'.repeat(64);
  await folder('checkpoints', unknown);
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([]);
  await versions('known', 1, 'running');
  await mkdir(join(home, 'checkpoints', 'e'.repeat(64)));
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([unknown]);
  // The checkpoint e… is young.
  expect(await namesIn('checkpoints')).toEqual([keyOf('known', 1), 'e'.repeat(64)].sort());
});

test('leftovers of dead steps and installations are removed, and those that are young or in use stay', async () => {
  await folder('checkpoints', '.tmp-1');
  await mkdir(join(home, 'checkpoints', '.tmp-2'));
  await mkdir(join(home, 'batches'));
  await writeFile(join(home, 'batches', 'a.json'), '');
  await utimes(join(home, 'batches', 'a.json'), old, old);
  await writeFile(join(home, 'batches', 'b.json'), '');
  // Young leftovers stay even with --older-than 0: their steps may be running.
  expect(await removeStepLeftovers({ home, ...options, olderThanSeconds: 0 })).toEqual(['.tmp-1', 'a.json']);
  expect(await namesIn('checkpoints')).toEqual(['.tmp-2']);
  const cache = join(home, 'trainer');
  const [dead, building] = ['0'.repeat(16), '1'.repeat(16)];
  await folder('trainer', 'uv.AbC123');
  const names = [dead, building, `optimizer-${dead}`, `mini-swe-agent-${dead}`];
  for (const name of names) await folder('trainer', `${name}.part`);
  await folder('trainer', '2'.repeat(16));
  const release = acquireLock(join(cache, `${building}.lock`));
  const parts = [`${dead}.part`, `mini-swe-agent-${dead}.part`, `optimizer-${dead}.part`];
  expect(await removeInstallLeftovers(cache, { ...options, dryRun: true })).toEqual([...parts, 'uv.AbC123']);
  expect(await removeInstallLeftovers(cache, options)).toEqual([...parts, 'uv.AbC123']);
  release();
  expect(await namesIn('trainer')).toEqual([`${building}.part`, '2'.repeat(16)]);
});
