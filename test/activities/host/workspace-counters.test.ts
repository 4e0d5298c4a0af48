import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createLaunchActivities } from '../../../activities/launch.ts';
import type { Lease } from '../../../db/slot/slots.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import type { SshCompute } from '../../../infra/compute/ssh.ts';
import { insertReadyTrial, useDatabase } from '../../db/support.ts';
import { testHosts } from '../../infra/compute/ssh/support/hosts.ts';
import { noSshd } from '../../support/machine/sshd.ts';

const bench = useDatabase();
const hosts = testHosts();
const FILES = [{ path: 'main.txt', content: Buffer.from('x') }];

/**
 * A trial with a slot of a host, where somebody deletes a file of each of the first so many workspaces that are staged.
 * `attempt` tries to begin its run there.
 */
async function onHost(
  pool: string,
  { damages, isOwn = false, setup }: { damages: number; isOwn?: boolean; setup?: Setup },
) {
  const { store, db } = bench;
  const sshd = await hosts.start();
  const compute = hosts.connect(sshd, { host: pool });
  const stages = join(sshd.home, '.perpetua-host/stages');
  const fleet = { pools: { [pool]: { slots: 'cpu' } }, hosts: [{ name: pool, pool }] };
  await store.host.applyFleet(Fleet.parse(fleet));
  const jobId = await insertReadyTrial(db, pool, 1);
  const slotId = (await store.slot.offerSlot({ pool, host: pool, holder: 'w' })) ?? '';
  await store.slot.leaseSlot({ jobId, slotId, holder: 'w' });
  const staged: string[] = [];
  const scanned: SshCompute = {
    ...compute,
    async stage(hash) {
      await compute.stage(hash, FILES);
      if (staged.push(hash) <= damages) rmSync(join(stages, hash, 'files/main.txt'));
    },
  };
  const loadTaskVersion = async (hash: string) => {
    const version = await store.task.loadTaskVersion(hash);
    return setup ? { ...version, task: { ...version.task, setup } } : version;
  };
  const deps = {
    store: {
      ...store,
      task: { ...store.task, loadTaskVersion },
    },
    hosts: {
      computeOf: () => scanned,
      coresOf: () => 1,
      hardwareOf: async () => null,
      envOf: () => ({}),
      isOwnHost: () => isOwn,
      memoryOf: () => null,
    },
    machine: { environment: {}, freeDisk: async () => ({ bytes: 1e12, files: null }) },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { start } = createLaunchActivities(deps);
  const attempt = (setups?: number): Promise<unknown> =>
    new MockActivityEnvironment().run(start, { jobId, placement: 0, ...(setups ? { setups } : {}) });
  const aside = (): string[] => readdirSync(stages).filter((name) => name.startsWith('.damaged-'));
  const held = (): Promise<Lease | undefined> => store.slot.findLease(jobId);
  /** Sets the host's answer: the setup is done there, or gone. */
  const setPrepared = (isPrepared: boolean): void => void (scanned.isPrepared = () => Promise.resolve(isPrepared));
  return { attempt, staged, aside, held, setPrepared };
}

type Setup = { commands: string[]; timeoutSeconds: number };

const missing = { name: 'StageMissingError' };

describe.skipIf(noSshd !== undefined)(`a host on which workspaces are damaged ${noSshd ?? ''}`, () => {
  test('rests after the third in a row, whose trial goes elsewhere, and keeps one damaged copy', async () => {
    const { attempt, staged, aside, held } = await onHost('scanned', { damages: Infinity });
    for (let n = 1; n <= 2; n += 1) await expect(attempt()).rejects.toMatchObject(missing);
    expect(await held()).toBeDefined();
    expect(await attempt()).toEqual({
      state: 'elsewhere',
      host: 'scanned',
      detail: expect.stringMatching(/were damaged/) as string,
    });
    expect(await held()).toBeUndefined();
    expect(staged).toHaveLength(3);
    expect(aside()).toHaveLength(1);
    const host = (await bench.store.host.findHosts()).find(({ name }) => name === 'scanned');
    expect(host).toMatchObject({ failures: 1, quarantinedUntil: expect.any(Date) as Date });
    expect(host?.lastError).toMatch(/^host scanned: expected a workspace to stay intact .* 3 in a row were damaged/);
  });

  test('runs the trial if the third one is whole', async () => {
    const { attempt, staged } = await onHost('scanned-twice', { damages: 2 });
    for (let n = 1; n <= 2; n += 1) await expect(attempt()).rejects.toMatchObject(missing);
    expect(await attempt()).toEqual({ state: 'running', host: 'scanned-twice' });
    expect(staged).toHaveLength(3);
  });

  test('ends the trial for good if it is this machine', async () => {
    const { attempt } = await onHost('own', { damages: Infinity, isOwn: true });
    for (let n = 1; n <= 2; n += 1) await expect(attempt()).rejects.toMatchObject(missing);
    await expect(attempt()).rejects.toMatchObject({ type: 'WorkspaceNotKept', nonRetryable: true });
  });
});

describe.skipIf(noSshd !== undefined)(`a host on which what setups make is removed ${noSshd ?? ''}`, () => {
  const setup = { commands: ['true'], timeoutSeconds: 10 };

  test('rests after the third in a row, whose trial goes elsewhere', async () => {
    const { attempt, held } = await onHost('cleared', { damages: 0, setup });
    for (const setups of [undefined, 1, 2]) expect(await attempt(setups)).toMatchObject({ state: 'prepare' });
    const detail = expect.stringMatching(/^host cleared: expected what a task's setup made to stay/) as string;
    expect(await attempt(3)).toEqual({ state: 'elsewhere', host: 'cleared', detail });
    expect(await held()).toBeUndefined();
    const host = (await bench.store.host.findHosts()).find(({ name }) => name === 'cleared');
    expect(host).toMatchObject({ failures: 1, quarantinedUntil: expect.any(Date) as Date });
    expect(host?.lastError).toMatch(/^host cleared: expected what a task's setup made to stay .* 3 in a row were gone/);
  });

  test('goes on with a run that an earlier attempt has begun, though the setup has vanished', async () => {
    const { attempt, held, setPrepared } = await onHost('begun', { damages: 0, setup });
    setPrepared(true);
    expect(await attempt(3)).toEqual({ state: 'running', host: 'begun' });
    setPrepared(false);
    expect(await attempt(3)).toEqual({ state: 'running', host: 'begun' });
    expect(await held()).toBeDefined();
  });

  test('ends the trial for good if it is this machine', async () => {
    const { attempt } = await onHost('own-cleared', { damages: 0, isOwn: true, setup });
    // Its slot is free while it is prepared, so that each launch is the first of its lease.
    for (let n = 1; n <= 3; n += 1) expect(await attempt()).toMatchObject({ state: 'prepare' });
    await expect(attempt()).rejects.toMatchObject({ type: 'WorkspaceNotKept', nonRetryable: true });
  });
});
