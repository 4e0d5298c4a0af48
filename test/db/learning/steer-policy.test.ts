import { EventEmitter, once } from 'node:events';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { steerPolicy } from '../../../db/learning/steer-policy.ts';
import { readEvents } from '../../../db/reads/read-events.ts';
import { policies } from '../../../db/schema.ts';
import type { PolicyWish } from '../../../domain/learning/apply-policy-wish.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { insertLearning } from '../../support/database/learning.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

const ask = (researchId: string, wish: PolicyWish, because: string | null = null) =>
  steerPolicy(bench.db, { researchId, wish, because });
const policyOf = async (id: string) => (await bench.db.select().from(policies).where(eq(policies.researchId, id)))[0];
const eventsOf = async (researchId: string) => {
  // Another transaction on the server may hold events back for a moment.
  await expect.poll(() => readEvents(bench.db, { researchId, limit: 9 })).not.toHaveLength(0);
  const lines = await readEvents(bench.db, { researchId, limit: 9 });
  return lines.map(({ kind, data }) => [kind, data]);
};

test('a rollback puts a version in force and ends a halt, once, with an event', async () => {
  await insertLearning(bench.db, 'back', { halted: 'entropy fell' });
  const wish = { kind: 'rollback', version: 0 } as const;
  expect(await ask('back', wish, 'it repeats itself')).toMatchObject({ from: 1, changed: true });
  expect(await ask('back', wish)).toMatchObject({ from: 0, changed: false });
  expect(await policyOf('back')).toMatchObject({ inForce: 0, pinned: false, halted: null });
  expect(await eventsOf('back')).toEqual([
    ['policy-set', { from: 1, version: 0, how: 'rolled back: it repeats itself', by: 'person' }],
  ]);
});

test('a pin holds until it is taken off, and prevents a rollback', async () => {
  await insertLearning(bench.db, 'pinned');
  await ask('pinned', { kind: 'pin', version: 0 });
  expect(await policyOf('pinned')).toMatchObject({ inForce: 0, pinned: true });
  await expect(ask('pinned', { kind: 'rollback', version: 1 })).rejects.toThrow(/pinned to version 0/);
  expect(await policyOf('pinned')).toMatchObject({ inForce: 0, pinned: true });
  await ask('pinned', { kind: 'unpin' });
  expect(await policyOf('pinned')).toMatchObject({ inForce: 0, pinned: false });
});

test('a version that was never made is refused, and nothing changes', async () => {
  await insertLearning(bench.db, 'none');
  for (const version of [2, 9])
    for (const kind of ['pin', 'rollback'] as const)
      await expect(ask('none', { kind, version })).rejects.toThrow(`got ${version}`);
  expect(await policyOf('none')).toMatchObject({ inForce: 1, pinned: false });
});

test('a policy can be pinned before its first sample', async () => {
  await insertResearch(bench.db, 'young');
  expect(await ask('young', { kind: 'pin', version: 0 })).toMatchObject({ changed: true });
  expect(await policyOf('young')).toMatchObject({ inForce: 0, pinned: true });
});

test('a change waits for the transaction that locks the research, and uses its result', async () => {
  await insertLearning(bench.db, 'held');
  const seen = new EventEmitter();
  const asked = once(seen, 'asked');
  const isHeld = once(seen, 'held');
  const holder = bench.another().withResearch('held', async (tx) => {
    seen.emit('held');
    await asked;
    await tx.learning.setPolicy('held', { pinned: true });
  });
  await isHeld;
  const outcome = expect(ask('held', { kind: 'rollback', version: 0 })).rejects.toThrow('pinned');
  await expect
    .poll(
      async () =>
        (
          await bench.db.execute(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
        ).rowCount,
    )
    .toBeGreaterThan(0);
  seen.emit('asked');
  await Promise.all([holder, outcome]);
});
