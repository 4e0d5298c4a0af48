import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import {
  expectNothingHeld,
  release,
  runProcesses,
  trialsOf,
  untilLaunched,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
const { begin, handleOf, rowOf, untilIdle } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/**
 * Starts a baseline and a proposal that run until a test releases them. Their worker dies over the next trial that it
 * abandons.
 */
async function underWay(id: string) {
  const worker = await stack.startWorker({ slots: 2, killAt: FAULTS['worker-dies-giving-up/local/random'][0] });
  const handle = await begin(id, { window: 2 }, { held: true });
  await untilLaunched(stack, id, 2);
  return { worker, handle };
}

const outcomes = async (id: string) =>
  (await trialsOf(stack, id)).map(({ n, status, failure, runs }) => ({ n, status, failure, runs }));

describe(
  'a worker that dies between the outcome of an abandoned trial and the kill of its run',
  {
    timeout: 360_000,
  },
  () => {
    test('leaves a run that the next reconcile ends, and a slot that it frees', async () => {
      const id = 'forsaken';
      const { worker, handle } = await underWay(id);
      await handleOf(`${id}/2`).terminate('closed by hand');
      await worker.gone;
      expect(worker.process.signalCode).toBe('SIGKILL');
      const [, given] = await outcomes(id);
      expect(given).toEqual({ n: 2, status: 'lost', failure: 'workflow-closed', runs: 1 });
      // The supervisor may start its program a moment later.
      await expect.poll(() => runProcesses(id).length).toBeGreaterThan(0);
      await handle.signal('stop', {});
      const next = await stack.startWorker({ slots: 2 });
      await stack.until('its slot to be free', 'select count(*) = 0 as done from slots where trial_id = $1', [
        `${id}/2`,
      ]);
      release(stack, id);
      await untilStopped(stack, id);
      expect(await outcomes(id)).toEqual([{ n: 1, status: 'completed', failure: null, runs: 1 }, given]);
      await expectNothingHeld(stack, id);
      await next.stop();
    });

    test('does not hold up a cancel: all that runs is ended, once, and the research has its reason', async () => {
      const id = 'cut-down';
      const { worker, handle } = await underWay(id);
      await handle.cancel();
      await worker.gone;
      expect(worker.process.signalCode).toBe('SIGKILL');
      const next = await stack.startWorker({ slots: 2 });
      await expect(handle.result()).rejects.toThrow();
      await untilStopped(stack, id);
      expect(await rowOf(id)).toMatchObject({ reason: 'cancelled by a person' });
      await untilIdle(id);
      const ended = await outcomes(id);
      expect(ended.length).toBeGreaterThan(1);
      const aborted = { status: 'aborted', failure: 'stopped-by-operator' };
      expect(ended).toMatchObject(ended.map(() => aborted));
      expect(ended.slice(0, 2).map(({ runs }) => runs)).toEqual([1, 1]);
      await stack.until('every slot to be free', `select count(*) = 0 as done from slots where state = 'leased'`);
      await expectNothingHeld(stack, id);
      await next.stop();
    });
  },
);
