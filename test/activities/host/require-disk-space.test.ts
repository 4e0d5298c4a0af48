import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { requireDiskSpace } from '../../../activities/host/require-disk-space.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import type { Compute, RunRef } from '../../../infra/compute.ts';

const MIB = 1024 * 1024;

/** A machine with so many MiB free if nothing is held there. */
function machine(
  free: number,
  held: Record<number, number>,
  {
    state = 'absent',
    files = null,
    beside = [],
  }: { state?: 'absent' | 'running'; files?: number | null; beside?: { diskMb: number; writtenMb?: number }[] } = {},
) {
  const room = () => free - Object.values(held).reduce((sum, mib) => sum + mib, 0);
  const compute = {
    inspect: ({ jobId, placement }: RunRef) =>
      Promise.resolve(jobId === 'r/1' ? { state } : { state: 'running', writtenMb: beside[placement]?.writtenMb }),
    remove: ({ placement }: RunRef) => Promise.resolve(void delete held[placement]),
  } as unknown as Compute;
  const waits: string[] = [];
  return {
    hosts: { isOwnHost: (host: string) => host === 'here', computeOf: () => compute },
    machine: { freeDisk: () => Promise.resolve({ bytes: room() * MIB, files }) },
    waits,
    store: {
      run: {
        findEarlierPlacements: () => Promise.resolve([]),
        // The index of a run names its trial, its placement and its task.
        findOtherJobsOnHost: () =>
          Promise.resolve(
            beside.map((_, n) => ({ jobId: `beside/${n}`, placement: n, taskHash: String(n), agentDiskMb: null })),
          ),
        noteWait: ({ waitsFor }: { waitsFor: string | null }) => Promise.resolve(void waits.push(String(waitsFor))),
      },
      task: {
        loadTaskVersion: (hash: string) =>
          Promise.resolve({ task: { run: { resources: beside[Number(hash)] } } } as unknown as TaskVersion),
      },
    },
  };
}
const begin = (deps: ReturnType<typeof machine>, placement: number, { host = 'here', diskMb = 16 } = {}) =>
  new MockActivityEnvironment().run(() =>
    requireDiskSpace(deps, { jobId: 'r/1', placement }, { host, fence: 9, diskMb }),
  );

describe('a run on a machine without room', () => {
  test('is not begun, and may be tried again', async () => {
    const held = { 0: 100 };
    const full = machine(400, held);
    await expect(begin(full, 0)).rejects.toMatchObject({ type: 'DiskFull', nonRetryable: false });
    expect(full.waits).toEqual([
      expect.stringMatching(/^room on the disk of here: 300 MiB free, at least 512 MiB needed/),
    ]);
    expect(held).toEqual({ 0: 100 });
  });

  test('is not begun if it may fill the rest of the disk', async () => {
    const deps = machine(1024, {});
    await begin(deps, 0, { diskMb: 512 });
    await expect(begin(deps, 0, { diskMb: 513 })).rejects.toThrow(
      /^disk: 1024 MiB free, at least 1025 MiB needed \(512, and run\.resources\.diskMb: 513\); make room/,
    );
  });

  test('is not begun if it may fill the room of the runs beside it', async () => {
    const beside = [
      { diskMb: 250, writtenMb: 100 },
      { diskMb: 100, writtenMb: 150 },
      // Its supervisor has not measured it yet.
      { diskMb: 50 },
    ];
    await begin(machine(728, {}, { beside }), 0);
    const deps = machine(727, {}, { beside });
    await expect(begin(deps, 0)).rejects.toThrow(
      new RegExp(
        '^disk: 727 MiB free, at least 728 MiB needed ' +
          '\\(512, and run\\.resources\\.diskMb: 16, and 200 that runs under way may still write\\)',
      ),
    );
    expect(deps.waits).toHaveLength(1);
  });

  test('is not begun if the disk has too few inodes left', async () => {
    const deps = (files: number | null) => machine(4000, {}, { files });
    await expect(begin(deps(9999), 0)).rejects.toThrow(
      /^disk: room for 9999 more files \(inodes\), at least 10000 needed/,
    );
    for (const enough of [10_000, null]) await begin(deps(enough), 0);
  });

  test('is begun if the removal of its lost placements makes room', async () => {
    const held = { 0: 300, 1: 200 };
    const tight = machine(900, held);
    await begin(tight, 2);
    expect(tight.waits).toEqual([]);
    expect(held).toEqual({});
  });

  test('is followed if it was begun, since it may be what fills the machine', async () => {
    await begin(machine(100, {}, { state: 'running' }), 1);
  });

  test('needs no room on this machine if it is on another host', async () => {
    await begin(machine(0, {}), 0, { host: 'there' });
  });
});
