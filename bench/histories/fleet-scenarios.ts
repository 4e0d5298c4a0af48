import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../../db/connect.ts';
import { applyFleet } from '../../db/host/apply-fleet.ts';
import { drainHosts } from '../../db/host/fleet.ts';
import { Fleet } from '../../domain/fleet/fleet.ts';
import { processesOf } from '../support/processes-of.ts';
import { type Sshd, startSshd } from '../support/sshd.ts';
import type { TestStack } from '../support/stack.ts';
import { runUntilFile, until } from './research-scenarios.ts';
import { ended, task, type Recording, type Scenario } from './scenarios.ts';

const POOL = 'lab';

/** Hosts of a fleet for the time of a scenario. */
interface Lab {
  sshds: Sshd[];
  drain: (name: string, drain: boolean) => Promise<void>;
}

/** Runs a scenario with serving hosts of these names, one slot each, and removes them afterwards. */
async function withHosts({ stack }: Recording, names: string[], scenario: (lab: Lab) => Promise<void>): Promise<void> {
  const { db, close } = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
  const sshds = await Promise.all(names.map(() => startSshd()));
  const hosts = sshds.map(({ address, port, user, key, knownHosts }, n) => ({
    name: names[n],
    pool: POOL,
    slots: 1,
    scratch: join(stack.home, `scratch-${names[n]}`),
    address,
    port,
    user,
    keyFile: key,
    knownHosts: [knownHosts],
  }));
  const apply = (which: typeof hosts) =>
    applyFleet(db, Fleet.parse({ pools: { [POOL]: { slots: 'cpu' } }, hosts: which }));
  try {
    await apply(hosts);
    await stack.until(
      'the hosts to be well',
      `select count(*) >= $1 as done, json_agg(last_error) from hosts where state = 'serving' and seen_at is not null`,
      [names.length],
    );
    await scenario({ sshds, drain: async (name, drain) => void (await drainHosts(db, { names: [name], drain })) });
  } finally {
    await apply([]);
    await close();
    for (const sshd of sshds) await sshd.destroy();
  }
}

const onFleet = {
  command: 'cp knobs.env out.txt',
  budget: { seconds: 300, kind: 'wall' },
  artefacts: [{ path: 'out.txt' }],
  sandbox: 'none',
  resources: { pool: POOL },
};
/** Starts a research of one search trial. */
const begin = async (stack: TestStack, id: string, overrides: Record<string, unknown>): Promise<void> =>
  stack.startResearch(id, { task: await task(stack, id, overrides), window: 1, budget: { trials: 1 } });
/** Waits until the SQL condition holds for the row of the host. */
const untilHost = (stack: TestStack, name: string, condition: string): Promise<void> =>
  stack.until(
    `${name} to be such that ${condition}`,
    `select (${condition}) as done, note, last_error from hosts where name = $1`,
    [name],
    90,
  );
const stop = async (stack: TestStack, id: string): Promise<void> => {
  const handle = stack.client.workflow.getHandle(id);
  await handle.signal('stop');
  await handle.result();
};

/** Waits for the run of that placement of the first trial, then kills it with its supervisor. */
async function lose(stack: TestStack, id: string, placement: number): Promise<void> {
  await stack.until(
    'a run',
    'select count(*) > 0 as done from runs where trial_id = $1 and placement = $2 and launched_at is not null',
    [`${id}/1`, placement],
  );
  for (const line of processesOf(stack.home)) {
    try {
      process.kill(parseInt(line), 'SIGKILL');
    } catch {
      // The process ended with its supervisor.
    }
  }
}

/** Scenarios in which hosts, runs or launches fail. */
export const FLEET_SCENARIOS: Record<string, Scenario> = {
  // The host stops in the middle of the setup of the task, and the trial moves to another host.
  'moved-in-setup': async (recording, id) =>
    withHosts(recording, ['setup-a', 'setup-b'], async ({ sshds: [first], drain }) => {
      const { home } = recording.stack;
      const begun = join(home, 'moved-setup-begun');
      await drain('setup-b', true);
      const commands = [`case $PWD in *scratch-setup-a*) : > ${begun}; sleep 600 ;; esac`];
      await begin(recording.stack, id, { run: onFleet, setup: { commands } });
      await until('the setup to begin', async () => (await readdir(home)).includes('moved-setup-begun'));
      await first?.stop();
      await untilHost(recording.stack, 'setup-a', 'failures > 0');
      await drain('setup-b', false);
      await recording.stack.client.workflow.getHandle(id).result();
      for (const line of processesOf(home, 'scratch-setup-a')) process.kill(parseInt(line), 'SIGKILL');
    }),
  'refused-for-good': async (recording, id) =>
    withHosts(recording, ['never'], async () => {
      await begin(recording.stack, id, { run: onFleet, setup: { commands: ['exit 7'] } });
      await ended(recording.stack, id, 1);
      await stop(recording.stack, id);
    }),
  'lost-twice': async ({ stack }, id) => {
    const gate = join(stack.home, id);
    await begin(stack, id, { run: runUntilFile(gate) });
    await lose(stack, id, 0);
    await lose(stack, id, 1);
    await ended(stack, id, 1);
    await writeFile(gate, '');
    await stop(stack, id);
  },
  // The launch fails as often as it takes to raise an alert.
  'launch-failed': async ({ stack }, id) => {
    await stack.query('create sequence lease_faults');
    await stack.query(`create function lease_fault() returns trigger language plpgsql as $$ begin
      if nextval('lease_faults') <= 7 then raise exception 'for the record'; end if; return new; end $$`);
    await stack.query(`create trigger lease_fault before update on slots for each row
      when (old.state <> 'leased' and new.state = 'leased') execute function lease_fault()`);
    await begin(stack, id, {});
    await stack.client.workflow.getHandle(id).result();
  },
};
