import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { applyFleet } from '../../../db/host/apply-fleet.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import {
  expectSlotsFree,
  expectNoProcesses,
  expectStrictVerdicts,
  processesOf,
  readLedger,
} from '../database/ledger.ts';
import { signalAll } from '../process/signal.ts';
import { startSshd, type Sshd, type SshdOptions } from './sshd.ts';
import { startTestStack, type TestStack, type TestWorker } from '../stack.ts';
import { type TaskFiles, writeTask } from '../tasks.ts';

/** The pool of the box. */
export const LAB = 'lab';
/** Steps of each curve of a quick task. */
const CURVE = '1 2';

/** A real Temporal, a real Postgres and a fleet of one healthy real host. Tests start the workers. */
export interface FleetBox {
  stack: TestStack;
  sshd: Sshd;
  /** Applies a fleet.yaml with the host, or with its pool alone (`poolOnly`). `more`: further keys of the host. */
  apply(options?: { poolOnly?: boolean; more?: { lostAfterSeconds: number } }): Promise<void>;
  scratch: string;
  /** Supervisors on the host, with their helpers. */
  supervisors(): number[];
  /** Stops the host with all its processes, and starts it again. */
  reboot(): Promise<void>;
  /** Starts a research whose runs take milliseconds. */
  startQuick(id: string, options?: TaskFiles & { searches?: number }): Promise<void>;
  /** Expects the same trials, each run once, the same verdicts, and no leftovers, after any fault. */
  expectUnharmed(id: string, searches?: number): Promise<void>;
  destroy(): Promise<void>;
}

/** `network`: the network of the host; default: this machine's. */
export async function startFleetBox(options: Pick<SshdOptions, 'network'> = {}): Promise<FleetBox> {
  const stack = await startTestStack();
  const sshd = await startSshd(options);
  await ensureHealthy(stack, sshd);
  const scratch = join(sshd.home, '.perpetua-host');
  const supervisors = (): number[] =>
    processesOf(scratch)
      .filter((line) => /\/supervisor-\w+\.sh/.test(line) && !line.includes('--inside'))
      .map((line) => parseInt(line));
  return {
    stack,
    sshd,
    scratch,
    supervisors,
    apply: ({ poolOnly = false, more } = {}) => apply(stack, poolOnly ? [] : [sshd], more),
    reboot: async () => {
      await sshd.stop();
      signalAll([...supervisors(), ...setupProcesses(scratch)]);
      await sshd.start();
    },
    startQuick: async (id, { searches = 1, ...files } = {}) => {
      const task = await writeQuickTask(join(stack.home, 'tasks', id), files);
      await stack.startResearch(id, { task, budget: { trials: searches } });
    },
    expectUnharmed: async (id, searches = 1) => {
      await expectSlotsFree(stack);
      const { trials, curves, counts } = await readLedger(stack, id);
      expect(trials.map(({ kind }) => kind).sort()).toEqual(['baseline', ...Array<string>(searches).fill('search')]);
      expect(trials.map(({ status }) => status)).toEqual(Array(searches + 1).fill('completed'));
      await expectStrictVerdicts(stack, id);
      expect(counts).toEqual({ runs: searches + 1, leased: 0, repeated: 0 });
      expect(curves).toEqual(Array(searches + 1).fill(CURVE));
      await expectNoProcesses(scratch);
    },
    destroy: async () => {
      await stack.stop();
      await sshd.destroy();
    },
  };
}

async function apply(stack: TestStack, sshds: Sshd[], more: object = {}): Promise<void> {
  const hosts = sshds.map(({ address, port, user, key, knownHosts }) => ({
    name: 'box',
    pool: LAB,
    slots: 2,
    address,
    port,
    user,
    keyFile: key,
    knownHosts: [knownHosts],
    ...more,
  }));
  const database = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
  await applyFleet(database.db, Fleet.parse({ pools: { [LAB]: { slots: 'cpu' } }, hosts }));
  await database.close();
}

async function ensureHealthy(stack: TestStack, sshd: Sshd): Promise<void> {
  await apply(stack, [sshd]);
  const worker = await stack.startWorker({ slots: 1 });
  await stack.until('the host to be well', `select seen_at is not null as done, last_error from hosts`);
  await worker.stop();
}

const writeQuickTask = (folder: string, { task, files }: TaskFiles): Promise<string> =>
  writeTask(folder, {
    ...(files ? { files } : {}),
    task: {
      run: {
        command: 'sh run.sh',
        budget: { seconds: 5, kind: 'wall' },
        artefacts: [{ path: 'out.txt' }],
        sandbox: 'none',
        resources: { pool: LAB },
      },
      search: { parent: 'original', proposer: 'random', window: 2 },
      ...task,
    },
  });

/** Processes of a setup on a host, with those that run it. */
export const setupProcesses = (scratch: string): number[] =>
  processesOf(scratch, 'stages').map((line) => parseInt(line));

/** A setup that notes each of its starts, and waits in its middle while a test holds it. */
export function heldSetup({ home }: { home: string }, id: string) {
  const [hold, noted] = [join(home, `${id}-setup-hold`), join(home, `${id}-setups`)];
  writeFileSync(hold, '');
  const command = `echo begun >> ${noted}; while [ -e ${hold} ]; do sleep .1; done; echo 1 > "$PERPETUA_DATA/ready"`;
  const begun = (): number => (existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n').length : 0);
  return {
    setup: { commands: [command], timeoutSeconds: 300 },
    begun,
    untilBegun: (times = 1) => expect.poll(begun, { timeout: 180_000 }).toBe(times),
    release: () => rmSync(hold),
  };
}

/** Waits until a worker is suspended at its kill point, so that a fault of its host hits it there on any machine. */
export const untilSuspended = (worker: TestWorker): Promise<void> =>
  expect
    .poll(() => /\) (\S)/.exec(readFileSync(`/proc/${worker.process.pid}/stat`, 'utf8'))?.[1], { timeout: 180_000 })
    .toBe('T');
