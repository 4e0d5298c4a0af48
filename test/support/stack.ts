import { inject } from 'vitest';
import { startTestStack as start, type TestStack } from '../../bench/support/stack.ts';
import { makeDatabase } from './database/make-database.ts';
import { openLogs } from './open-logs.ts';

export * from '../../bench/support/stack.ts';

/** Starts a stack on the Postgres that all tests share; `durable`: on a Postgres of its own, which may be killed. */
export async function startTestStack({ durable = false } = {}): Promise<TestStack> {
  const options = durable ? { durable } : { databaseUrl: await makeDatabase(inject('sharedPostgres')) };
  const stack = await start(options);
  openLogs().add(stack.logFile);
  const stop = async (): Promise<void> => {
    openLogs().delete(stack.logFile);
    await stack.stop();
  };
  return { ...stack, stop };
}
