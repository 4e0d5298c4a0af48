import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createLaunchActivities } from '../../activities/launch.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-setup-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A task whose setup runs these commands on this machine; each call is an attempt. */
function setupOf(stageHash: string, command: string, timeoutSeconds = 60) {
  const compute = createLocalCompute({ home, installation: 'setup-tests' });
  const said: string[] = [];
  const task = {
    run: { command: 'true', path: [] },
    evaluator: { type: 'none' },
    setup: { commands: [command], timeoutSeconds },
  };
  const deps = {
    reach: () => undefined,
    store: {
      slot: {
        findLease: async () => ({ host: compute.host, pool: 'local', fence: 1 }),
        freeSlot: async () => void said.push('the slot is free'),
      },
      run: { noteWait: async ({ waitsFor }: { waitsFor: string | null }) => void said.push(String(waitsFor)) },
      trial: { loadTrialAndResearch: async () => ({ trial: { id: 'a/1', taskHash: 'task' }, research: {} }) },
      task: {
        loadTaskVersion: async () => ({ hash: 'task', stageHash, task, mutablePaths: [] }),
        loadTaskFiles: async () => [{ path: 'main.txt', content: Buffer.from('x') }],
      },
    },
    hosts: { computeOf: () => compute, isOwnHost: () => true },
  } as unknown as ActivityDeps;
  const { prepare } = createLaunchActivities(deps);
  const attempt = (): Promise<unknown> => new MockActivityEnvironment().run(prepare, { jobId: 'a/1', placement: 0 });
  return { compute, attempt, said };
}

test('a setup that damages its workspace and fails does so each time, since that is staged again', async () => {
  const { attempt } = setupOf('broken', 'echo more >> main.txt; exit 1');
  const failed = { type: 'SetupFailedError', message: expect.stringContaining('exit code 1') as string };
  for (let n = 1; n <= 3; n += 1) await expect(attempt()).rejects.toMatchObject(failed);
});

test('a workspace that goes during its setup is staged again within the same attempt, but not for ever', async () => {
  const once = setupOf('once', 'cd "$HOME"; test -e ../mark || { touch ../mark; mv "$HOME" "$HOME.aside"; }');
  expect(await once.attempt()).toMatchObject({ state: 'elsewhere' });
  expect(await once.compute.isPrepared('once')).toBe(true);
  const ever = setupOf('ever', 'mv "$HOME" "$HOME.aside-$$"');
  await expect(ever.attempt()).rejects.toMatchObject({ type: 'SetupFailedError', nonRetryable: true });
});

test('a setup that fails is tried again within the attempt, since downloads fail by chance', async () => {
  const { attempt } = setupOf('late', 'echo x >> "$HOME/../tries-late"; [ "$(wc -l < "$HOME/../tries-late")" -ge 3 ]');
  expect(await attempt()).toMatchObject({ state: 'elsewhere' });
});

test('a setup whose command is not there says where the machine has it, or that it has it nowhere', async () => {
  const { attempt } = setupOf('lacks', 'only-elsewhere --now');
  const nowhere = 'No folder of programs on this machine has only-elsewhere: install it, or correct the command.';
  await expect(attempt()).rejects.toMatchObject({
    type: 'SetupFailedError',
    message: expect.stringMatching(
      new RegExp(`^setup command "only-elsewhere --now": exit code 127\n(.*\n)*${nowhere}$`),
    ) as string,
  });
  const other = setupOf('fails', 'echo "sh: only-elsewhere: not found"; exit 3');
  await expect(other.attempt()).rejects.toMatchObject({ message: expect.not.stringContaining(nowhere) as string });
});

test('the slot is free while a setup of this machine is under way, and people see what it waits for', async () => {
  const { attempt, said } = setupOf('free', 'true');
  await attempt();
  expect(said).toEqual(['the slot is free', 'its setup on local', 'null']);
});

test('a setup that waits for the one of another trial has all its time from then on', async () => {
  const gate = join(home, 'gate');
  const waits = `touch ${join(home, 'begun')}; until [ -e ${gate} ]; do sleep .05; done; exit 1`;
  const first = setupOf('shared', waits).attempt().catch(String);
  const { attempt } = setupOf('shared', 'true', 5);
  await expect.poll(() => existsSync(join(home, 'begun')), { timeout: 60_000 }).toBe(true);
  // The second setup waits for longer than its limit.
  const second = attempt();
  setTimeout(() => writeFileSync(gate, ''), 5500);
  expect(await second).toMatchObject({ state: 'elsewhere' });
  await first;
});
