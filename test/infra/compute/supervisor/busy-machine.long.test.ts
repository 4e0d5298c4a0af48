import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEnd } from '../../../../infra/compute.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { has, supervise } from './supervise.ts';

const isMissing = !has('taskset') || !has('perl') || !existsSync('/proc/self/schedstat');
/** True if the kernel shares the CPUs by sessions, whose shares programs may change. */
const hasAutogroups = (): boolean => {
  const file = '/proc/sys/kernel/sched_autogroup_enabled';
  return existsSync(file) && readFileSync(file, 'utf8').trim() === '1';
};
/** Limit of wall clock, in seconds, of each run. */
const LIMIT = 3;
/** Computes for that many CPU seconds. */
const computing = (seconds: number): string => `exec perl -e '1 while (times)[0] < ${seconds}'`;
/** Runs a command on one core alone, as if the machine had no other. */
const onOneCore = (command: string) =>
  supervise({ shell: ['/bin/sh'], confinement: PROCESS_GROUP, uid: null, within: ['taskset', '-c', '0'] }, command, {
    wallSeconds: LIMIT,
    processes: 400,
  });

describe.skipIf(isMissing)('beside programs of others that keep the core busy', () => {
  const others: ChildProcess[] = [];
  beforeAll(() => {
    // A session of its own for each: some kernels share a core by sessions.
    for (let n = 0; n < 9; n += 1)
      others.push(
        spawn('taskset', ['-c', '0', 'timeout', '300', 'sh', '-c', 'while :; do :; done'], {
          detached: true,
          stdio: 'ignore',
        }),
      );
  });
  afterAll(() => {
    for (const { pid } of others) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  });

  test('a run ends by itself after its time limit, which does not count its wait for the core', async () => {
    let end: RunEnd | undefined;
    // The backstop may come first if yet others keep the core busy. Then the next run computes less.
    for (let seconds = 0.6; end?.reason !== 'exit' && seconds > 0.02; seconds /= 2)
      ({ end } = await onOneCore(computing(seconds)));
    expect(end).toMatchObject({ reason: 'exit', exitCode: 0, load: { cores: expect.any(Number) as number } });
    expect(end?.wallSeconds).toBeGreaterThan(LIMIT);
  });

  test('a run that hardly gets the core ends by the backstop, before it had its time', async () => {
    const { end } = await onOneCore(computing(1000));
    expect(end).toMatchObject({ reason: 'wall', backstop: true });
    expect(end?.wallSeconds).toBeGreaterThan(4 * LIMIT);
  });

  test('a run that lowers the share of its own session ends by its time limit', async (context) => {
    if (!hasAutogroups()) context.skip('this kernel does not share the CPUs by sessions (sched_autogroup_enabled)');
    const { end } = await onOneCore(`echo 19 >/proc/self/autogroup && ${computing(1000)}`);
    expect(end?.reason).toBe('wall');
    expect(end?.backstop).toBeUndefined();
  });

  test('a run that sleeps ends by its time limit', async () => {
    const { end } = await onOneCore('exec sleep 4714');
    expect(end?.reason).toBe('wall');
    expect(end?.backstop).toBeUndefined();
  });
});

test.skipIf(isMissing)('threads that wait for threads of their own run give it no more time', async () => {
  const { end } = await onOneCore(`for n in $(seq 60); do sh -c 'while :; do :; done' & done; ${computing(1000)}`);
  expect(end?.reason).toBe('wall');
  expect(end?.backstop).toBeUndefined();
});
