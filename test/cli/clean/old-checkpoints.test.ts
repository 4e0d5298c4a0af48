import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeStepLeftovers, removeOldCheckpoints } from '../../../cli/clean/old-checkpoints.ts';
import { removeInstallLeftovers } from '../../../cli/clean/remove-install-leftovers.ts';
import { policies, researches, rolloutGroups, updates } from '../../../db/schema.ts';
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
/** A key by research and number. */
const keyOf = (id: string, k: number): string => `${Buffer.from(id).toString('hex')}${k}`.padEnd(64, '0');
const left = async (...path: string[]) => (await readdir(join(home, ...path))).sort();

/** A research of so many versions, the last one in force, which ended two hours ago where it has. */
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

test('of a research that has ended the version in force stays, and what a person has named; of one under way all do', async () => {
  await versions('over', 5, 'stopped');
  await versions('under', 2, 'running');
  await bench.db.execute(sql`update updates set held = true where research_id = 'over' and k = 2`);
  // Started again, it would fill its newest group.
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
  expect(await left('checkpoints')).toEqual(
    [...[2, 4, 5].map((k) => keyOf('over', k)), keyOf('under', 1), keyOf('under', 2)].sort(),
  );
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([]);
});

test('the parent of an update that is due stays, though its research has ended', async () => {
  await versions('due', 3, 'stopped');
  await bench.db.insert(updates).values({ researchId: 'due', k: 4, batch: [], parent: 1, stepKey: keyOf('due', 4) });
  // Its step is done, and not yet stored.
  await folder('checkpoints', keyOf('due', 4));
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([keyOf('due', 2)]);
  await bench.db.execute(
    sql`update updates set state = 'failed', ended_at = ${old} where research_id = 'due' and k = 4`,
  );
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([keyOf('due', 1), keyOf('due', 4)]);
});

test('one that no update has made goes where the database knows others there, and stays where it knows none', async () => {
  const unknown = 'f'.repeat(64);
  await folder('checkpoints', unknown);
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([]);
  await versions('known', 1, 'running');
  await mkdir(join(home, 'checkpoints', 'e'.repeat(64)));
  expect(await removeOldCheckpoints(bench.db, { home, ...options })).toEqual([unknown]);
  // The other one is young.
  expect(await left('checkpoints')).toEqual([keyOf('known', 1), 'e'.repeat(64)].sort());
});

test('what dead steps and installations have left goes, and what is young or at work stays', async () => {
  await folder('checkpoints', '.tmp-1');
  await mkdir(join(home, 'checkpoints', '.tmp-2'));
  await mkdir(join(home, 'batches'));
  await writeFile(join(home, 'batches', 'a.json'), '');
  await utimes(join(home, 'batches', 'a.json'), old, old);
  await writeFile(join(home, 'batches', 'b.json'), '');
  // Not even with --older-than 0: they may be under way.
  expect(await removeStepLeftovers({ home, ...options, olderThanSeconds: 0 })).toEqual(['.tmp-1', 'a.json']);
  expect(await left('checkpoints')).toEqual(['.tmp-2']);
  const cache = join(home, 'trainer');
  const [dead, building] = ['0'.repeat(16), '1'.repeat(16)];
  await folder('trainer', 'uv.AbC123');
  for (const name of [dead, building]) await folder('trainer', `${name}.part`);
  await folder('trainer', '2'.repeat(16));
  const release = acquireLock(join(cache, `${building}.lock`));
  expect(await removeInstallLeftovers({ cache }, { ...options, dryRun: true })).toEqual([`${dead}.part`, 'uv.AbC123']);
  expect(await removeInstallLeftovers({ cache }, options)).toEqual([`${dead}.part`, 'uv.AbC123']);
  release();
  expect(await left('trainer')).toEqual([`${building}.part`, '2'.repeat(16)]);
});
