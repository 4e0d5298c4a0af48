import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingHeld, release, trialsOf, untilLaunched, untilStopped } from '../support/faults.ts';
import { mountSmallDisk, noSmallDisks, unmount } from '../support/small-disk.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { steering } from '../support/steer.ts';

/** Above the floor under which nothing starts. */
const DISK_MB = 600;

let stack: TestStack;
let disk: string;
const { begin, rowOf, untilPhase } = steering(() => stack);

/** Takes all room of the disk but so much. */
function fill(leaveMb: number): void {
  const { bavail, bsize } = statfsSync(disk);
  execFileSync('fallocate', ['-l', String(bavail * bsize - leaveMb * 1024 * 1024), join(disk, 'ballast')]);
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
      await stack.startWorker({ env: { PERPETUA_HOME: disk } });
    }, 120_000);
    afterAll(async () => {
      await stack.stop();
      unmount(disk);
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
      await untilPhase('filled', 'waiting');
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
