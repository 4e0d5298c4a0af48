import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { applyFleet } from '../../../db/host/apply-fleet.ts';
import type { FleetHostStatus } from '../../../db/reads/fleet/read-fleet.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { runOn } from '../../cli/support/cli.ts';
import { expectUninterrupted, release, slowTask, untilRunning, untilStopped } from '../../support/e2e/slow-task.ts';
import { noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';

const HOSTS = ['one', 'two'];
/** Two GPUs of each host. */
const GPUS: Record<string, string[]> = Object.fromEntries(
  HOSTS.map((name) => [name, [`GPU-${randomUUID()}`, `GPU-${randomUUID()}`]]),
);
/** A stand-in for nvidia-smi, with GPUs that nobody uses. */
function smi(uuids: string[]): string {
  const list = uuids.map((uuid, index) => `echo "${index}, ${uuid}, Stand-In, 81920"`).join('; ');
  return `#!/bin/sh\ncase $1 in *query-gpu*) ${list} ;; esac\n`;
}

let stack: TestStack;
const sshds: Sshd[] = [];

async function startHost(name: string) {
  const sshd = await startSshd({ path: 'bin' });
  sshds.push(sshd);
  mkdirSync(join(sshd.home, 'bin'));
  writeFileSync(join(sshd.home, 'bin', 'nvidia-smi'), smi(GPUS[name] ?? []), { mode: 0o755 });
  const { address, port, user, key, knownHosts } = sshd;
  return { name, pool: 'timing', address, port, user, keyFile: key, knownHosts: [knownHosts] };
}

const fleetNow = async (): Promise<FleetHostStatus[]> => {
  const { code, json } = await runOn(stack.databaseUrl, ['fleet', '--json']);
  expect(code).toBe(0);
  return (json() as [{ hosts: FleetHostStatus[] }])[0].hosts;
};

describe.skipIf(noSshd !== undefined)(`a pool of whole hosts ${noSshd ?? ''}`, () => {
  beforeAll(async () => {
    stack = await startTestStack();
    const hosts = await Promise.all(HOSTS.map(startHost));
    await stack.startWorker({ slots: 1 });
    const database = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
    await applyFleet(database.db, Fleet.parse({ pools: { timing: { slots: 'host' } }, hosts }));
    await database.close();
    await stack.until(
      'the hosts to be well',
      `select bool_and(seen_at is not null) as done, json_agg(last_error) from hosts`,
    );
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all(sshds.map((sshd) => sshd.destroy()));
  });

  test('gives each of its runs a whole host, with nothing else on it meanwhile', async () => {
    const seen = join(stack.home, 'seen');
    const task = await slowTask(stack, 'timed', {
      seconds: 0.4,
      held: true,
      pool: 'timing',
      files: { 'workspace/gpus.sh': `echo "$CUDA_VISIBLE_DEVICES" >> ${seen}\n. ./run.sh\n` },
    });
    const yaml = join(task, 'task.yaml');
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('sh run.sh', 'sh gpus.sh'));
    await stack.startResearch('timed', { task, window: 4, budget: { trials: 5 } });
    await untilRunning(stack, 'timed', 2);
    const hosts = await fleetNow();
    expect(hosts.map(({ name, slots, running }) => [name, slots, running.map(({ gpu }) => gpu)])).toEqual(
      HOSTS.map((name) => [name, 1, [GPUS[name]?.join(',')]]),
    );
    // More trials wait by now, for one of these two slots.
    await stack.until(
      'trials that wait',
      `select count(*) >= 2 as done from trials where research_id = 'timed' and status is null
         and not exists (select 1 from runs where trial_id = trials.id)`,
    );
    release(stack, 'timed');
    await untilStopped(stack, 'timed');

    // Each is scored: its verdict is checked against its value.
    const trials = await expectUninterrupted(stack, 'timed', 5);
    expect(trials.map(({ value }) => typeof value)).toEqual(trials.map(() => 'number'));
    const runs = await stack.query<{ host: string; begun: Date; ended: Date; cores: number; gpus: string[] }>(
      `select host, launched_at as begun, ended_at as ended, (machine->>'cores')::int as cores,
         array(select one->>'uuid' from jsonb_array_elements(machine->'gpus') one) as gpus
       from runs where trial_id like 'timed/%' order by launched_at`,
    );
    expect(runs).toHaveLength(6);
    for (const name of HOSTS) {
      const here = runs.filter(({ host }) => host === name);
      expect(here.length, `runs on ${name}`).toBeGreaterThan(1);
      here.slice(1).forEach(({ begun }, index) => {
        expect(begun.getTime()).toBeGreaterThanOrEqual(here[index]?.ended.getTime() ?? Infinity);
      });
      for (const { cores, gpus } of here)
        expect({ cores, gpus }).toEqual({ cores: availableParallelism(), gpus: GPUS[name] });
    }
    expect(new Set(readFileSync(seen, 'utf8').trim().split('\n'))).toEqual(
      new Set(HOSTS.map((name) => GPUS[name]?.join(','))),
    );
  });
});
