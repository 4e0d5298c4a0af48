import type { WorkflowHandle } from '@temporalio/client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { releaseOneRun, trialsOf, untilLaunched } from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
let worker: TestWorker;
const { begin, rowOf, untilIdle, untilPhase } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
  worker = await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

describe('a person cancels a research', () => {
  test('it ends with a reason and its runs killed, even those that another run of the chain started', async () => {
    await begin('cancelled', { maxHistory: 60 }, { held: true });
    await untilLaunched(stack, 'cancelled');
    const handle = stack.client.workflow.getHandle('cancelled');
    const [first] = await stack.query<{ run_id: string }>(`select run_id from researches where id = 'cancelled'`);
    for (let index = 0; index < 15; index += 1) await handle.signal('note', { text: String(index) });
    await stack.until('the notes', `select count(*) = 15 as done from notes where research_id = 'cancelled'`);
    // A continue-as-new comes when a trial ends. The other trial is held meanwhile.
    let passes = 0;
    const runOf = async (): Promise<string | undefined> => {
      const [row] = await stack.query<{ run_id: string; ended: number }>(
        `select run_id,
           (select count(*)::int from trials where research_id = researches.id and status is not null) as ended
         from researches where id = 'cancelled'`,
      );
      if (row?.run_id === first?.run_id && row !== undefined && row.ended >= passes) {
        releaseOneRun(stack, 'cancelled');
        passes += 1;
      }
      return row?.run_id;
    };
    await expect.poll(runOf, { timeout: 240_000, interval: 3000 }).not.toBe(first?.run_id);
    await handle.cancel();
    await handle.signal('note', { text: 'too late' }).catch(() => undefined);
    await expect(handle.result()).rejects.toThrow();
    await untilPhase('cancelled', 'stopped');
    expect(await rowOf('cancelled')).toMatchObject({ reason: 'cancelled by a person' });
    await untilIdle('cancelled');
    const under = (await trialsOf(stack, 'cancelled')).filter(({ status }) => status !== 'completed');
    expect(under.length).toBeGreaterThan(0);
    expect(under.map(({ status }) => status)).toEqual(under.map(() => 'aborted'));
    await stack.until('no slot held', `select count(*) = 0 as done from slots where trial_id like 'cancelled/%'`);
  });

  test('in the middle of an admission: no trial is left that nobody ends', async () => {
    const atInsert = await holdInserts({ table: 'trials', when: `new.research_id = 'cut-short'` });
    const handle = await begin('cut-short', { window: 2 }, { held: true });
    await cancelWhileHeld(handle, atInsert);
    await untilIdle('cut-short');
    const trials = await trialsOf(stack, 'cut-short');
    expect(trials.length).toBeGreaterThan(0);
    expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'aborted'));
    await untilPhase('cut-short', 'stopped');
    expect(await rowOf('cut-short')).toMatchObject({ reason: 'cancelled by a person' });
  });

  test('while it is opened: it does not seem to start for ever, and none of its trials begins', async () => {
    const atInsert = await holdInserts({ table: 'researches', when: `new.id = 'unopened'` });
    const handle = await begin('unopened', {}, { held: true });
    await cancelWhileHeld(handle, atInsert);
    await untilPhase('unopened', 'stopped');
    expect(await rowOf('unopened')).toMatchObject({ reason: 'cancelled by a person' });
    expect(await trialsOf(stack, 'unopened')).toEqual([]);
  });

  test('while it is opened by a worker that dies meanwhile: it ends as cancelled, not as failed', async () => {
    const atInsert = await holdInserts({ table: 'researches', when: `new.id = 'orphaned'` });
    const handle = await begin('orphaned', {}, { held: true });
    await cancelWhileHeld(handle, atInsert, async () => {
      await worker.kill();
      worker = await stack.startWorker({ slots: 4 });
    });
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    expect(await stack.query(`select 1 from researches where id = 'orphaned' and phase <> 'stopped'`)).toEqual([]);
    expect(await trialsOf(stack, 'orphaned')).toEqual([]);
  });
});

/** Keeps such rows from being inserted until the connection that it returns is ended. */
async function holdInserts({ table, when }: { table: string; when: string }): Promise<pg.Client> {
  await stack.query(`create or replace function await_lock() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(42); return new; end $$`);
  await stack.query(`create or replace trigger await_lock before insert on ${table} for each row
    when (${when}) execute function await_lock()`);
  const holder = new pg.Client({ connectionString: stack.databaseUrl });
  await holder.connect();
  await holder.query('select pg_advisory_lock(42)');
  return holder;
}

/** Cancels while an insert waits. The insert goes on once the history has the cancel and `before` is done. */
async function cancelWhileHeld(
  handle: WorkflowHandle,
  holder: pg.Client,
  before: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  try {
    await stack.until(
      'an insert to wait',
      `select count(*) > 0 as done from pg_stat_activity
       where wait_event = 'advisory' and datname = current_database()`,
    );
    await handle.cancel();
    const isRequested = async (): Promise<boolean> =>
      ((await handle.fetchHistory()).events ?? []).some(
        (event) => event.workflowExecutionCancelRequestedEventAttributes,
      );
    await expect.poll(isRequested).toBe(true);
    await before();
  } finally {
    await holder.end();
  }
  await expect(handle.result()).rejects.toThrow();
}
