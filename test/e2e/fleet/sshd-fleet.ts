import { applyFleet } from '../../../db/host/apply-fleet.ts';
import { connect } from '../../../db/connect.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { slowTask } from '../../support/e2e/slow-task.ts';
import { startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';

export interface HostOfTest {
  name: string;
  pool: string;
  lostAfterSeconds?: number;
}

/** A stack whose fleet is this machine under sshds of their own, with one slot each. */
export interface SshdFleet {
  stack: TestStack;
  db: ReturnType<typeof connect>['db'];
  /** The worker; a test that kills it puts the next one here. */
  worker: TestWorker;
  sshdOf(name: string): Sshd;
  /** Starts a research whose runs wait for their release. */
  begin(id: string, pool: string, options: { searches: number; window?: number }): Promise<void>;
  hostsOf(id: string): Promise<{ n: number; placement: number; host: string }[]>;
  untilWell(...names: string[]): Promise<void>;
  untilFailed(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the stack, a worker with one slot, and an sshd for each host; `far` are sshds that run already. */
export async function startSshdFleet(hosts: HostOfTest[], far: Record<string, Sshd> = {}): Promise<SshdFleet> {
  const stack = await startTestStack();
  const database = connect(stack.databaseUrl, { max: 2, onError: () => undefined });
  const sshds = { ...far };
  for (const { name } of hosts) sshds[name] ??= await startSshd();
  const sshdOf = (name: string): Sshd => {
    const sshd = sshds[name];
    if (!sshd) throw new Error(`Expected a test host ${name}`);
    return sshd;
  };
  const untilWell = (...names: string[]): Promise<void> =>
    stack.until(
      `${names.join(' and ')} to be well`,
      `select count(*) = $2 as done, json_agg(last_error) from hosts
       where name = any($1) and seen_at is not null and quarantined_until is null`,
      [names, names.length],
    );
  const fleet: SshdFleet = {
    stack,
    db: database.db,
    worker: await stack.startWorker({ slots: 1 }),
    sshdOf,
    begin: async (id, pool, { searches, window = 3 }) => {
      const task = await slowTask(stack, id, { seconds: 0.4, held: true, pool });
      await stack.startResearch(id, { task, window, budget: { trials: searches } });
    },
    hostsOf: (id) =>
      stack.query(
        `select n, runs.placement, host from runs join trials on trials.id = trial_id
         where research_id = $1 order by n, runs.placement`,
        [id],
      ),
    untilWell,
    untilFailed: (name) =>
      stack.until(`${name} to fail`, `select quarantined_until is not null as done from hosts where name = $1`, [name]),
    stop: async () => {
      await fleet.worker.stop();
      await database.close();
      await stack.stop();
      await Promise.all(Object.values(sshds).map((sshd) => sshd.destroy()));
    },
  };
  await applyFleet(database.db, fleetOf(hosts, sshdOf));
  await untilWell(...hosts.map(({ name }) => name).filter((name) => !(name in far)));
  return fleet;
}

function fleetOf(hosts: HostOfTest[], sshdOf: SshdFleet['sshdOf']): Fleet {
  const pools = Object.fromEntries(
    hosts.map(({ pool }) => [pool, { slots: 'cpu', env: { SITE: 'of the pool', LAB: 'of the pool' } }]),
  );
  return Fleet.parse({
    pools,
    hosts: hosts.map((host) => {
      const { address, port, user, key, knownHosts } = sshdOf(host.name);
      const env = { LAB: `of ${host.name}`, X_OF_TASK: 'of the host' };
      return { ...host, address, port, user, keyFile: key, knownHosts: [knownHosts], slots: 1, env };
    }),
  });
}
