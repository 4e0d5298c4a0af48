import { inject } from 'vitest';
import { startTestStack as start, type TestStack } from '../../bench/support/stack.ts';
import { makeDatabase } from './database/make-database.ts';
import { logsOfOpenStacks } from './logs-of-open-stacks.ts';

export * from '../../bench/support/stack.ts';

/** Starts a stack on the Postgres that all tests share. `durable`: on its own Postgres, whose data survive a kill. */
export async function startTestStack({ durable = false } = {}): Promise<TestStack> {
  const options = durable ? { durable } : { databaseUrl: await makeDatabase(inject('sharedPostgres')) };
  const stack = await start(options);
  logsOfOpenStacks().add(stack.logFile);
  const stop = async (): Promise<void> => {
    logsOfOpenStacks().delete(stack.logFile);
    await stack.stop();
  };
  return { ...stack, stop };
}
