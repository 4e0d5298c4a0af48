import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { applyFleet } from '../../../db/host/apply-fleet.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import {
  expectNothingHeld,
  expectUninterrupted,
  release,
  runProcesses,
  slowTask,
  startsOf,
} from '../../support/e2e/slow-task.ts';
import { trialsOf, untilRunning, untilStopped } from '../../support/e2e/slow-task.ts';
import { isRunning } from '../../support/process/is-running.ts';
import { processesOf } from '../../support/database/ledger.ts';
import {
  makeIsolatedMachine,
  noIsolatedMachines,
  type IsolatedMachine,
} from '../../support/machine/isolated-machine.ts';
import { signalAll } from '../../support/process/signal.ts';
import { noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';

const HOURS = 3600;

let stack: TestStack;
let worker: TestWorker;
const sshds: Record<string, Sshd> = {};
const machines: Record<string, IsolatedMachine> = {};

/** Starts the sshd of a host. Each has one slot, since the hosts here are this machine. */
async function startHost(name: string, pool: string, clockAhead = 0) {
  if (noIsolatedMachines === undefined)
    machines[name] = makeIsolatedMachine(join(stack.home, 'machines', name), { clockAhead });
  const network = machines[name]?.network;
  const sshd = (sshds[name] = await startSshd(network ? { network } : {}));
  const { address, port, user, key, knownHosts } = sshd;
  return { name, pool, slots: 1, address, port, user, keyFile: key, knownHosts: [knownHosts] };
}

const scratchOf = (name: string): string => join(sshds[name]?.home ?? '', '.perpetua-host');
const runsOn = (name: string): string[] => {
  const runs = join(scratchOf(name), 'runs');
  return readdirSync(runs).flatMap((installation) => readdirSync(join(runs, installation)));
};
const hostsOf = async (trialId: string): Promise<string[]> =>
  (await stack.query<{ host: string }>(`select host from runs where trial_id = $1 order by placement`, [trialId])).map(
    ({ host }) => host,
  );

describe.skipIf(noSshd !== undefined)(`hosts of a fleet ${noSshd ?? ''}`, () => {
  beforeAll(async () => {
    stack = await startTestStack();
    const hosts = [
      await startHost('shared', 'shared'),
      await startHost('ahead', 'clocks', 5 * HOURS),
      await startHost('behind', 'clocks', -5 * HOURS),
      await startHost('booted', 'boots'),
      await startHost('other', 'boots'),
    ];
    worker = await stack.startWorker({ slots: 1 });
    const database = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
    const pools = Object.fromEntries(hosts.map(({ pool }) => [pool, { slots: 'cpu' }]));
    await applyFleet(database.db, Fleet.parse({ pools, hosts }));
    await database.close();
    await stack.until(
      'the hosts to be well',
      `select bool_and(seen_at is not null and quarantined_until is null) as done, json_agg(last_error) from hosts`,
    );
  });
  afterAll(async () => {
    await worker.stop();
    await stack.stop();
    await Promise.all(Object.values(sshds).map((sshd) => sshd.destroy()));
  });

  test.skipIf(noIsolatedMachines !== undefined)(
    `whose clocks are hours off run trials like others, and our times stay ours ${noIsolatedMachines ?? ''}`,
    async () => {
      const task = await slowTask(stack, 'clocks', { seconds: 0.4, held: true, pool: 'clocks' });
      const [before] = await stack.query<{ now: Date }>('select now()');
      await stack.startResearch('clocks', { task, window: 2, budget: { trials: 3 } });
      // One run on each host.
      await untilRunning(stack, 'clocks', 2);
      release(stack, 'clocks');
      await untilStopped(stack, 'clocks');
      await expectUninterrupted(stack, 'clocks', 3);
      const rows = await stack.query<{ host: string; ahead: number }>(
        `select host, extract(epoch from ("end"->>'startedAt')::timestamptz - launched_at)::float8 as ahead from runs
         where trial_id like 'clocks/%'`,
      );
      // The times that a host reports keep its offset.
      for (const { host, ahead } of rows)
        expect(Math.round(ahead / HOURS), `hours by which ${host} is ahead`).toBe(host === 'ahead' ? 5 : -5);
      expect(new Set(rows.map(({ host }) => host))).toEqual(new Set(['ahead', 'behind']));
      const ours = await stack.query(
        `select trial_id from runs where trial_id like 'clocks/%' and
           not (launched_at between $1 and now() and ended_at between launched_at and now()
             and ("end"->>'wallSeconds')::float8 between 0 and 3600)`,
        [before?.now],
      );
      expect(ours).toEqual([]);
      expect(
        await stack.query(
          `select trial_id from points where trial_id like 'clocks/%' and not elapsed between 0 and 3600`,
        ),
      ).toEqual([]);
    },
  );

  test('that reboot in mid-run lose their runs, which are placed on another one and blame no trial', async () => {
    const stranger = spawn('sleep', ['4860']);
    const task = await slowTask(stack, 'boots', { seconds: 0.4, held: true, pool: 'boots' });
    await stack.startResearch('boots', { task, window: 1, budget: { trials: 1 } });
    await untilRunning(stack, 'boots');
    const [gone = ''] = await hostsOf('boots/1');
    const [remaining] = ['booted', 'other'].filter((name) => name !== gone);
    await sshds[gone]?.stop();
    // A power cut also ends the processes that these start meanwhile.
    const running = (): string[] => processesOf(scratchOf(gone));
    const cutPower = (): void => signalAll(running().map((line) => parseInt(line)));
    await expect.poll(() => (cutPower(), [...running(), ...runProcesses('boots')])).toEqual([]);
    // After the boot another process has the number of the run's supervisor, and by chance its time since the boot.
    renameOwners(scratchOf(gone), { pid: stranger.pid ?? 0, rebooted: machines[gone] === undefined });
    machines[gone]?.reboot();
    await sshds[gone]?.start();
    await untilOnceMore('boots');
    release(stack, 'boots');
    await untilStopped(stack, 'boots');
    expect(await hostsOf('boots/1')).toEqual([gone, remaining]);
    await expectOnceMore('boots');
    expect(isRunning(stranger.pid ?? 0)).toBe(true);
    // The leftovers go once the host is well again.
    for (const name of [gone, remaining ?? '']) await expect.poll(() => runsOn(name), { timeout: 180_000 }).toEqual([]);
    stranger.kill();
  });

  test('whose scratch folder is removed in mid-run lose their runs, which end and are placed once more', async () => {
    const task = await slowTask(stack, 'swept', { seconds: 0.4, held: true, pool: 'shared' });
    await stack.startResearch('swept', { task, window: 1, budget: { trials: 1 } });
    await untilRunning(stack, 'swept');
    const first = runProcesses('swept');
    expect(first.length).toBeGreaterThan(0);
    // The run writes its usage meanwhile.
    await rm(scratchOf('shared'), { recursive: true, maxRetries: 20, retryDelay: 50 });
    await untilOnceMore('swept');
    await expect.poll(() => first.filter(isRunning), { timeout: 60_000 }).toEqual([]);
    release(stack, 'swept');
    await untilStopped(stack, 'swept');
    await expectOnceMore('swept');
  });

  test('are shared by the tasks that wait: one with many trials does not keep another one waiting', async () => {
    const many = await slowTask(stack, 'many', { seconds: 0.2, held: true, pool: 'shared', task: { name: 'many' } });
    await stack.startResearch('many', { task: many, window: 9, budget: { trials: 8 } });
    await untilWaiting('many', 8);
    const few = await slowTask(stack, 'few', { seconds: 0.2, held: true, pool: 'shared', task: { name: 'few' } });
    await stack.startResearch('few', { task: few, window: 3, budget: { trials: 2 } });
    await untilWaiting('few', 3);
    release(stack, 'many');
    release(stack, 'few');
    await untilStopped(stack, 'many');
    await untilStopped(stack, 'few');
    const order = (
      await stack.query<{ task: string }>(
        `select research_id as task from runs join trials on trials.id = trial_id
         where research_id in ('many', 'few') order by launched_at`,
      )
    ).map(({ task }) => task);
    expect(order).toHaveLength(12);
    // In the order of arrival, all eight that waited before would be first.
    const last = order.lastIndexOf('few');
    expect(order.slice(1, last).filter((task) => task === 'many').length).toBeLessThanOrEqual(4);
    await expectNothingHeld(stack, 'many');
  });

  const untilOnceMore = (id: string): Promise<void> =>
    stack.until(
      'the trial to run once more',
      `select count(*) = 1 as done from runs where trial_id = $1 and placement = 1 and log_offset > 0`,
      [`${id}/1`],
    );

  /** Expects that the first run was lost, which blames no trial, and that nothing of it is left. */
  async function expectOnceMore(id: string): Promise<void> {
    const trials = await trialsOf(stack, id);
    expect(trials.map(({ status, failure, placement }) => [status, failure, placement])).toEqual([
      ['completed', null, 1],
      ['completed', null, 0],
    ]);
    expect(Object.values(startsOf(stack, id)).sort()).toEqual([1, 2]);
    await expectNothingHeld(stack, id);
  }

  /** Waits until the launches of so many trials wait for a slot. */
  async function untilWaiting(id: string, count: number): Promise<void> {
    const waiting = async (): Promise<number> => {
      const ns = (await stack.query<{ n: number }>('select n from trials where research_id = $1', [id])).map(
        ({ n }) => n,
      );
      const pending = await Promise.all(ns.map((n) => pendingOf(`${id}/${n}`)));
      return pending.filter((names) => names.includes('launch')).length;
    };
    await expect.poll(waiting, { timeout: 180_000 }).toBe(count);
  }

  async function pendingOf(workflowId: string): Promise<string[]> {
    try {
      const { raw } = await stack.client.workflow.getHandle(workflowId).describe();
      return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
    } catch {
      return []; // The workflow is not there yet.
    }
  }
});

/** Makes a process the owner of every claim on a host, as it was then; `rebooted`: in another boot than now. */
function renameOwners(scratch: string, { pid, rebooted }: { pid: number; rebooted: boolean }): void {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const start = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
  const owners = readdirSync(scratch, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('/claim/owner'),
  );
  expect(owners.length).toBeGreaterThan(0);
  for (const path of owners) {
    const [, , boot = '', ...rest] = readFileSync(join(scratch, path), 'utf8').trim().split(' ');
    const then = rebooted ? '00000000-0000-0000-0000-000000000000' : boot;
    writeFileSync(join(scratch, path), `${[pid, start, then, ...rest].join(' ')}\n`);
  }
}
