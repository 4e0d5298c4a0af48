import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingHeld, release, trialsOf, untilLaunched, untilStopped } from '../support/faults.ts';
import { mountSmallDisk, noSmallDisks, unmount } from '../support/small-disk.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';
import { steering } from '../support/steer.ts';

/** Above the floor under which nothing starts. */
const DISK_MB = 600;

let stack: TestStack;
let disk: string;
let worker: TestWorker;
const { begin, rowOf, untilPhase } = steering(() => stack);

/** Takes all room of the disk but so much; nothing is left where that is 0. */
function fill(leaveMb: number): void {
  const { bavail, bsize } = statfsSync(disk);
  const bytes = bavail * bsize - leaveMb * 1024 * 1024;
  spawnSync('sh', ['-c', `head -c ${bytes} /dev/zero > "$0"`, join(disk, 'ballast')]);
}
const makeRoom = (): void => rmSync(join(disk, 'ballast'));

describe.skipIf(noSmallDisks !== undefined)(
  `where the disk of this machine is full ${noSmallDisks ?? ''}`,
  { timeout: 240_000 },
  () => {
    beforeAll(async () => {
      stack = await startTestStack();
      disk = join(stack.home, 'disk');
      mkdirSync(disk, { mode: 0o711 });
      mountSmallDisk(disk, DISK_MB);
      worker = await stack.startWorker({ env: { PERPETUA_HOME: disk } });
    });
    afterAll(async () => {
      await worker.stop();
      unmount(disk);
      await stack.stop();
    });

    test('a research waits and says so, starts nothing, and goes on by itself', async () => {
      fill(100);
      await begin('waiting', { budget: { trials: 2 } });
      await untilPhase('waiting', 'waiting');
      expect((await rowOf('waiting')).reason).toMatch(/^disk: \d+ MiB free, at least 512 MiB needed; make room /);
      expect(await trialsOf(stack, 'waiting')).toEqual([]);
      makeRoom();
      await untilStopped(stack, 'waiting');
      const trials = await trialsOf(stack, 'waiting');
      expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
    });

    test('no run that fails of it counts against its candidate, and the search goes on with room', async () => {
      const handle = await begin('filled', { budget: { trials: 4 } }, { held: true });
      await untilLaunched(stack, 'filled', 2);
      fill(0);
      release(stack, 'filled');
      await stack.until(
        'both runs to be over, or placed once more',
        `select count(distinct trials.id) >= 2 as done, json_agg(runs.ended_at) from runs join trials on trials.id = runs.trial_id
         where research_id = 'filled' and (runs.ended_at is not null or runs.placement > 0)`,
      );
      makeRoom();
      await untilStopped(stack, 'filled', 180);
      await handle.result();
      const statuses = (await trialsOf(stack, 'filled')).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 'completed' && status !== 'lost')).toEqual([]);
      expect(statuses.filter((status) => status === 'completed').length).toBeGreaterThanOrEqual(3);
      await expectNothingHeld(stack, 'filled');
    });
  },
);
