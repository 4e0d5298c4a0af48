import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createResearchLifecycleActivities } from '../../../activities/research-lifecycle.ts';
import type { Store } from '../../../db/store.ts';
import type { LoadedTask } from '../../../tasks/load.ts';
import { hashOf, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { fallingTo } from '../../domain/abort/support.ts';
import { insertEnded } from '../../support/database/insert-ended.ts';

const bench = useDatabase();

const LOADED: LoadedTask = {
  hash: 'carrying',
  task: TASK,
  yaml: '',
  prompt: null,
  evaluatorFiles: [],
  workspace: [{ path: 'train.mjs', content: Buffer.from('one'), executable: false }],
  mutablePaths: ['train.mjs'],
  immutableHash: 'i',
  evaluatorHash: 'e',
  metricKey: 'm',
  stageHash: 's',
  folder: '/tasks/toy',
  positionOf: () => null,
};

/** Opens a research on a worker with that store. */
function open(store: Store, researchId: string): Promise<unknown> {
  const sandbox = { sandboxed: true, network: true, exposure: '', notes: [] };
  const deps = {
    store,
    tasks: { loadTask: () => Promise.resolve(LOADED) },
    models: {
      llm: {},
      llmModel: 'm',
      hasTrainer: () => true,
      hasOptimizer: () => false,
      canLearn: () => true,
      priceOf: () => 1,
    },
    pools: {
      slotsOf: () => Promise.resolve(2),
      diskSizeMb: () => Promise.resolve(10_000),
      memoryIn: () => null,
      protections: () => Promise.resolve(sandbox),
    },
    temporal: { searchAttributes: { registered: true, reason: null } },
    machine: { sha256: hashOf },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { openResearch } = createResearchLifecycleActivities(deps);
  return new MockActivityEnvironment().run(openResearch, { researchId, task: 'toy' });
}

let ended = 0;
/** Ends another run, so that the finished curves are others than before. */
async function endAnother(): Promise<void> {
  ended += 1;
  const curve = fallingTo(2, { noise: 0.01, seed: ended }).map((one) => ({ ...one, elapsed: one.step / 100 }));
  await insertEnded(bench.db, ['first', ended], { value: 2, curve });
}
beforeAll(async () => {
  await insertResearch(bench.db, 'first');
  while (ended < 12) await endAnother();
});

/** Number of curves that a research begins with; undefined if there is no such research. */
async function begunWith(researchId: string): Promise<number | undefined> {
  if (!(await bench.store.research.findResearch(researchId))) return undefined;
  const { rows } = await bench.db.execute<{ curves: number }>(
    sql`select jsonb_array_length(curves) as curves from carried_curves where research_id = ${researchId}`,
  );
  expect(rows.length).toBeLessThan(2);
  return rows[0]?.curves ?? 0;
}

/** Holds a lock for which a transaction waits that has stored a research and not yet its curves. */
let holder: pg.Client;
beforeEach(async () => {
  await bench.db.execute(sql`create or replace function stand_still() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(77); return new; end $$`);
  await bench.db.execute(
    sql`create or replace trigger stand_still before insert on carried_curves
      for each row execute function stand_still()`,
  );
  holder = new pg.Client(bench.url);
  await holder.connect();
  await holder.query('select pg_advisory_lock(77)');
});
afterEach(() => holder.end());
const release = () => holder.query('select pg_advisory_unlock(77)');

/** The processes of Postgres that wait for a lock, once there are so many. */
async function standing(count: number, event: string): Promise<number[]> {
  for (;;) {
    const { rows } = await bench.db.execute<{ pid: number }>(sql`select pid from pg_stat_activity
      where wait_event = ${event} and datname = current_database()`);
    if (rows.length >= count) return rows.map(({ pid }) => pid);
  }
}

test('a worker that dies in the transaction leaves no research, and the next attempt makes one snapshot', async () => {
  const dying = open(bench.another(), 'torn').catch((error: unknown) => error);
  const [pid] = await standing(1, 'advisory');
  await bench.db.execute(sql`select pg_terminate_backend(${pid})`);
  expect(await dying).toBeInstanceOf(Error);
  expect(await begunWith('torn')).toBeUndefined();
  await release();
  const before = ended;
  await endAnother();
  await open(bench.another(), 'torn');
  expect(await begunWith('torn')).toBe(before + 1);
});

test('a worker that dies after the transaction leaves the snapshot, and the next attempt takes no other', async () => {
  await release();
  await open(bench.another(), 'left');
  const before = ended;
  await endAnother();
  await open(bench.another(), 'left');
  expect(await begunWith('left')).toBe(before);
});

test('two workers that make one research at once make one snapshot, and it is the first one', async () => {
  const before = ended;
  const first = open(bench.another(), 'raced');
  await standing(1, 'advisory');
  await endAnother();
  const second = open(bench.another(), 'raced');
  await standing(1, 'transactionid');
  await release();
  await Promise.all([first, second]);
  expect(await begunWith('raced')).toBe(before);
});

test('two researches that start at once begin with a snapshot each', async () => {
  const both = [open(bench.another(), 'left hand'), open(bench.another(), 'right hand')];
  await standing(1, 'advisory');
  await release();
  await Promise.all(both);
  expect([await begunWith('left hand'), await begunWith('right hand')]).toEqual([ended, ended]);
});

test('a research begins with the newest 30 curves, the oldest of them first', async () => {
  await release();
  while (ended < 35) await endAnother();
  await open(bench.another(), 'many');
  const { rows } = await bench.db.execute<{ ids: string[] }>(sql`
    select array(select jsonb_path_query(curves, '$[*].trialId') #>> '{}') as ids
    from carried_curves where research_id = 'many'`);
  expect(rows[0]?.ids).toEqual(Array.from({ length: 30 }, (_, i) => `first/${ended - 29 + i}`));
});
