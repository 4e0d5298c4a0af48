import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTemporalState } from '../../cli/temporal/read-temporal-state.ts';
import { withTemporal } from '../../cli/context.ts';
import type { Io } from '../../cli/io.ts';
import { awaitWorker, isWorkerPolling } from '../../steering/await-worker.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const io = (): Io => ({
  stdout: process.stdout,
  stderr: process.stderr,
  env: { TEMPORAL_ADDRESS: stack.temporalAddress },
});
const findingOf = async (more: object) =>
  (await readTemporalState(io(), { researchId: 'waits', trialIds: [], limitMs: 20_000, ...more })).obstacle;
const polls = (inSeconds: number) =>
  withTemporal(io(), (temporal) => isWorkerPolling(temporal, new Date(Date.now() + inSeconds * 1000)));

test('a research without a worker is reported, but not while a worker is being started', async () => {
  await stack.startResearch('waits', { task: 'nano-lm' });
  expect(await findingOf({})).toBe('no worker is running, so nothing goes on. Start one: npx perpetua worker');
  expect(await findingOf({ workerStarting: true })).toBeNull();
});

test('a worker that has just started is waited for until the server lists it', async () => {
  const worker = await stack.startWorker({ slots: 1 });
  expect(await withTemporal(io(), (temporal) => awaitWorker(temporal))).toBe(true);
  await worker.stop();
});

test('a worker counts as polling for some minutes after its death, and with clocks that differ by 90 s', async () => {
  const worker = await stack.startWorker({ slots: 1 });
  await expect.poll(() => polls(0)).toBe(true);
  await worker.kill();
  for (const ahead of [-90, 0, 90]) expect(await polls(ahead), `${ahead} s ahead`).toBe(true);
  expect(await polls(240)).toBe(false);
});

test('a call that is open when its connection is closed is rejected, and never ends the process', async () => {
  const open = await withTemporal(io(), async ({ client }) => {
    const handle = client.workflow.getHandle('waits');
    const result = handle.result().then(
      () => 'ended',
      () => 'given up',
    );
    await handle.describe();
    return { result };
  });
  expect(await open.result).toBe('given up');
});

test('a command that calls Temporal a dozen times causes no warning of Node', async () => {
  const warnings: string[] = [];
  const listen = ({ name }: Error) => warnings.push(name);
  process.on('warning', listen);
  await withTemporal(io(), async ({ client }) => {
    for (let call = 1; call <= 12; call += 1) await client.workflow.count();
  });
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});
