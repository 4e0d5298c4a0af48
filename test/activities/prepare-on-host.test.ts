import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createLaunchActivities } from '../../activities/launch.ts';
import type { SshCompute } from '../../infra/compute/ssh.ts';
import { testHosts } from '../infra/compute/ssh/support/hosts.ts';
import { noSshd } from '../support/machine/sshd.ts';

const hosts = testHosts();

/** Runs the setup of a task on a host. */
function prepareOn(compute: SshCompute, stageHash: string, setup: { commands: string[]; timeoutSeconds: number }) {
  const deps = {
    store: {
      slot: { findLease: async () => ({ host: compute.host, pool: 'p', fence: 1 }), freeSlot: async () => true },
      trial: { loadTrialAndResearch: async () => ({ trial: { id: 'a/1', taskHash: 'task' }, research: {} }) },
      task: {
        loadTaskVersion: async () => ({
          hash: 'task',
          stageHash,
          mutablePaths: [],
          task: { run: { path: [] }, evaluator: { type: 'none' }, setup },
        }),
        loadTaskFiles: async () => [{ path: 'main.txt', content: Buffer.from('x') }],
      },
      run: { noteWait: async () => undefined },
      host: { noteOnHost: async () => undefined, countServing: async () => 1 },
    },
    hosts: { computeOf: () => compute, isOwnHost: () => false },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { prepare } = createLaunchActivities(deps);
  return new MockActivityEnvironment().run(prepare, { jobId: 'a/1', placement: 0 });
}

describe.skipIf(noSshd !== undefined)(`setups of two tasks on a host ${noSshd ?? ''}`, () => {
  test('have all their time, each from when it begins there, however long the other one takes', async () => {
    const sshd = await hosts.start();
    const compute = hosts.connect(sshd);
    const scratch = join(sshd.home, '.perpetua-host');
    // HOME of the setup lies in the stage.
    const long = 'cd "$HOME/../.."; touch begun; until [ -e gate ]; do sleep .05; done';
    const first = prepareOn(compute, 'long', { commands: [long], timeoutSeconds: 600 });
    await expect.poll(() => existsSync(join(scratch, 'begun')), { timeout: 60_000 }).toBe(true);
    await compute.stage('short', [{ path: 'main.txt', content: Buffer.from('x') }]);
    const limit = 5;
    const second = prepareOn(compute, 'short', { commands: ['true'], timeoutSeconds: limit });
    setTimeout(() => writeFileSync(join(scratch, 'gate'), ''), limit * 1500);
    expect(await second).toEqual({ state: 'prepare', host: compute.host });
    await first;
  });

  test('end at their limit, though the first one of them had to be waited for', async () => {
    const compute = hosts.connect(await hosts.start());
    const endless = { commands: ['exec sleep 4877'], timeoutSeconds: 1 };
    const detail = expect.stringContaining('setup: expected it to end within 1 s') as string;
    for (const setup of [prepareOn(compute, 'one', endless), prepareOn(compute, 'two', endless)])
      expect(await setup).toMatchObject({ state: 'elsewhere', refusal: { why: 'setup-failed', detail } });
  });
});
