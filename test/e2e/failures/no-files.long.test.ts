import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectNothingHeld,
  release,
  slowTask,
  trialsOf,
  untilLaunched,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { mountSmallDisk, noSmallDisks, unmount } from '../../support/machine/small-disk.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { steering } from '../../support/e2e/steer.ts';

const DISK_MB = 700;
const DISK_FILES = 40_000;

let stack: TestStack;
let disk: string;
let worker: TestWorker;
const { begin } = steering(() => stack);

describe.skipIf(noSmallDisks !== undefined)(
  `where the disk of this machine has few files ${noSmallDisks ?? ''}`,
  { timeout: 720_000 },
  () => {
    beforeAll(async () => {
      stack = await startTestStack();
      disk = join(stack.home, 'disk');
      mkdirSync(disk, { mode: 0o711 });
      mountSmallDisk(disk, DISK_MB, DISK_FILES);
      worker = await stack.startWorker({ env: { PERPETUA_HOME: disk } });
    });
    afterAll(async () => {
      await worker.stop();
      unmount(disk);
      await stack.stop();
    });

    test.each([
      // A trial that is lost twice is not placed again.
      ['lost', 1, { status: 'lost', failure: 'machine-lost', placement: 1, runs: 2 }],
      ['completed', 0, { status: 'completed', failure: null, placement: 0, runs: 1 }],
    ])(
      'a candidate that leaves no file for others ends as %s, is removed, and hurts no run beside it',
      async (_, code, ending) => {
        const [beside, usesUp] = [`beside-${code}`, `uses-up-${code}`];
        await begin(beside, { window: 1, budget: { trials: 2 } }, { held: true });
        await untilLaunched(stack, beside, 1);
        const run = `echo 1 >out.txt; (i=0; while :; do : >f$i; i=$((i+1)); done) 2>/dev/null; exit ${code}\n`;
        const task = await slowTask(stack, usesUp, { files: { 'workspace/run.sh': run } });
        await stack.startResearch(usesUp, { task, window: 1, budget: { trials: 1 } });
        await stack.until('the trial to end', `select status is not null as done from trials where id = $1`, [
          `${usesUp}/1`,
        ]);
        const [first] = await trialsOf(stack, usesUp);
        expect(first).toMatchObject(ending);
        await stack.client.workflow.getHandle(usesUp).signal('stop', { now: true });
        await untilStopped(stack, usesUp);
        release(stack, beside);
        await untilStopped(stack, beside);
        const trials = await trialsOf(stack, beside);
        expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
        await expectNothingHeld(stack, beside);
        await expect.poll(() => statfsSync(disk).ffree, { timeout: 60_000 }).toBeGreaterThan(DISK_FILES - 2000);
      },
    );
  },
);
