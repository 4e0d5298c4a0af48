import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { readStatus } from '../../../db/reads/read-status.ts';
import { type StatusView } from '../../../view/status.ts';
import { expectNothingHeld, release, trialsOf, untilLaunched, untilStopped } from '../../support/e2e/slow-task.ts';
import { mountSmallDisk, noSmallDisks, unmount } from '../../support/machine/small-disk.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { steering } from '../../support/e2e/steer.ts';

/** Size of the disk: two runs at a time fit above the floor under which nothing starts. */
const DISK_MB = 700;

let stack: TestStack;
let disk: string;
let worker: TestWorker;
const { begin, rowOf, untilPhase } = steering(() => stack);

/** Fills the disk up to so many MiB. */
function fill(leaveMb: number): void {
  const { bavail, bsize } = statfsSync(disk);
  const bytes = bavail * bsize - leaveMb * 1024 * 1024;
  spawnSync('sh', ['-c', `head -c ${bytes} /dev/zero > "$0"`, join(disk, 'filler')]);
}
const statusOf = async (researchId: string): Promise<StatusView | undefined> => {
  const { db, close } = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
  try {
    const research = await readResearch(db, { researchId });
    return research && (await readStatus(db, { research }));
  } finally {
    await close();
  }
};
const makeRoom = (): void => rmSync(join(disk, 'filler'), { force: true });

describe.skipIf(noSmallDisks !== undefined)(
  `where the disk of this machine is full ${noSmallDisks ?? ''}`,
  { timeout: 720_000 },
  () => {
    beforeAll(async () => {
      stack = await startTestStack();
      disk = join(stack.home, 'disk');
      mkdirSync(disk, { mode: 0o711 });
      mountSmallDisk(disk, DISK_MB);
      worker = await stack.startWorker({ env: { PERPETUA_HOME: disk } });
    });
    afterEach(makeRoom);
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

    test('a run that fails for lack of room does not count, and the search goes on once there is room', async () => {
      // The runs write more than a failed one gives back, or the other one could end well.
      const handle = await begin('filled', { budget: { trials: 4 } }, { held: true, leavesMb: 8 });
      await untilLaunched(stack, 'filled', 2);
      fill(0);
      release(stack, 'filled');
      // Each is placed once more, and waits for room with its slot: a second loss would be its end.
      const waits = async ({ n }: { n: number }): Promise<boolean> => {
        const { raw } = await stack.client.workflow.getHandle(`filled/${n}`).describe();
        return (raw.pendingActivities ?? []).some(
          ({ attempt, lastFailure }) => (attempt ?? 0) > 1 && /^disk: \d+ MiB free/.test(lastFailure?.message ?? ''),
        );
      };
      const waiting = async (): Promise<number> =>
        (await Promise.all((await trialsOf(stack, 'filled')).map(waits))).filter(Boolean).length;
      await expect.poll(waiting, { timeout: 240_000 }).toBeGreaterThanOrEqual(2);
      await expect
        .poll(() => statusOf('filled'))
        .toMatchObject({
          phase: 'waiting',
          reason: expect.stringMatching(/disk of \S+: \d+ MiB free/) as string,
          wait: { trials: 2, why: expect.stringMatching(/^room on the disk of \S+: \d+ MiB free/) as string },
        });
      makeRoom();
      await untilStopped(stack, 'filled');
      await handle.result();
      expect((await statusOf('filled'))?.wait).toBeNull();
      const trials = await trialsOf(stack, 'filled');
      expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
      expect(trials.filter(({ placement }) => placement === 1).length).toBeGreaterThanOrEqual(2);
      await expectNothingHeld(stack, 'filled');
    });
  },
);
