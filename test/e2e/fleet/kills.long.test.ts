import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KillPoint } from '../../../activities/deps.ts';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { untilStopped } from '../../support/e2e/slow-task.ts';
import { type FleetBox, heldSetup, startFleetBox, untilSuspended } from '../../support/machine/fleet-box.ts';
import { expectNoProcesses, expectStrictVerdicts, readLedger } from '../../support/database/ledger.ts';
import { makeNetwork, noNetworks, type TestNetwork } from '../../support/machine/network.ts';
import { signalAll } from '../../support/process/signal.ts';
import { noSshd } from '../../support/machine/sshd.ts';
import type { TestWorker, WorkerOptions } from '../../support/stack.ts';

const SEARCHES = 6;
/** Seconds between two keep-alives in tests of a silent network. */
const ALIVE_SECONDS = 0.5;
/** Time in which the network passes nothing: more than three keep-alives. */
const SILENT_MS = 4000;

let box: FleetBox;
let network: TestNetwork | undefined;

const CUT = 'a connection that is cut';
const SSHD_DIES = 'an sshd that dies';
/** Faults of the connection to a host, while all on the host goes on. */
const HURTS: Record<string, () => Promise<void>> = {
  [CUT]: () => Promise.resolve(box.sshd.cut()),
  [SSHD_DIES]: async () => {
    await box.sshd.stop();
    await box.sshd.start();
  },
};
/** A silence that lasts after the worker continues: the worker gives up its half-open connection and opens another. */
const SILENCE = 'a network that is silent for a while';
let halfOpen: number[] = [];
const silence = async (): Promise<void> => {
  halfOpen = box.sshd.sessions();
  expect(halfOpen).not.toEqual([]);
  network?.pull();
  setTimeout(() => network?.plugIn(), SILENT_MS);
};
/** Options of a worker for a fault. */
const optionsFor = (fault: string): WorkerOptions => ({
  slots: 1,
  ...(fault === SILENCE ? { env: { PERPETUA_KEEPALIVE: String(ALIVE_SECONDS) } } : {}),
});
/** Expects a new connection of the worker, at the latest by its next probe of the host. */
const expectRenewed = async (fault: string): Promise<void> => {
  const renewed = (): number[] => box.sshd.sessions().filter((pid) => !halfOpen.includes(pid));
  if (fault === SILENCE) await expect.poll(renewed, { timeout: 120_000 }).not.toEqual([]);
};

describe.skipIf(noSshd !== undefined)(`killed on the way to a host${noSshd ? ` (${noSshd})` : ''}`, () => {
  beforeAll(async () => {
    if (noNetworks === undefined) network = makeNetwork();
    box = await startFleetBox(network ? { network } : {});
  });
  afterAll(async () => {
    await box.destroy();
    network?.destroy();
  });

  /** The only living worker. It serves one kind of case; another kind replaces it. */
  let living: { worker: TestWorker; silent: boolean } | undefined;
  async function workerFor(fault: string): Promise<TestWorker> {
    const silent = fault === SILENCE;
    if (living && living.silent !== silent) {
      await living.worker.stop();
      living = undefined;
    }
    living ??= { worker: await box.stack.startWorker(optionsFor(fault)), silent };
    return living.worker;
  }
  /** Notes the next worker, after the living one has died. */
  async function replace(next: Promise<TestWorker>): Promise<void> {
    living = { worker: await next, silent: false };
  }

  test.each(FAULTS['worker-dies/ssh/random'])(
    'a worker that dies at %s costs nothing: the same trials, each once',
    async (point) => {
      const { stack } = box;
      const mortal = await workerFor(point);
      mortal.dieAt(point);
      await box.startQuick(point);
      await mortal.gone;
      expect(mortal.process.signalCode).toBe('SIGKILL');
      await replace(stack.startWorker(optionsFor(point)));
      await untilStopped(stack, point);
      await box.expectUnharmed(point);
    },
  );

  /** A worker that will be suspended at a step, and that already has a connection. */
  async function stillAt(step: KillPoint, fault: string): Promise<TestWorker> {
    const { stack } = box;
    await stack.query(`update hosts set seen_at = null, looked_at = to_timestamp(0)`);
    const mortal = await workerFor(fault);
    await stack.until('the host to be seen', `select seen_at is not null as done from hosts`);
    mortal.dieAt(`${step}:stop`);
    return mortal;
  }

  async function expectHarmless({ fault, step, hurt }: { fault: string; step: KillPoint; hurt: () => Promise<void> }) {
    const { stack } = box;
    const id = `${step}-${fault.replaceAll(' ', '-')}`;
    const still = await stillAt(step, fault);
    await box.startQuick(id);
    await untilSuspended(still);
    await hurt();
    still.process.kill('SIGCONT');
    await untilStopped(stack, id);
    await box.expectUnharmed(id);
    await expectRenewed(fault);
  }

  const hurtAt = (fault: string, steps: readonly KillPoint[]) =>
    steps.map((step) => [fault, step, HURTS[fault] ?? silence] as const);
  test.each([
    ...hurtAt(CUT, FAULTS['connection-cut/ssh/random']),
    ...hurtAt(SSHD_DIES, FAULTS['sshd-dies/ssh/random']),
  ])('%s at %s costs nothing: the same trials, each once', async (fault, step, hurt) =>
    expectHarmless({ fault, step, hurt }),
  );

  test.skipIf(noNetworks !== undefined).each(FAULTS['network-silent/ssh/random'])(
    `${SILENCE} at %s costs nothing: the same trials, each once ${noNetworks ?? ''}`,
    async (step) => expectHarmless({ fault: SILENCE, step, hurt: silence }),
  );

  test('a worker that dies in the middle of a setup costs nothing: the setup goes on, once', async () => {
    const { stack } = box;
    const held = heldSetup(stack, 'setup-worker');
    const mortal = await workerFor('setup-worker');
    await box.startQuick('setup-worker', { task: { setup: held.setup } });
    await held.untilBegun();
    await mortal.kill();
    await replace(stack.startWorker({ slots: 1 }));
    held.release();
    await untilStopped(stack, 'setup-worker');
    await box.expectUnharmed('setup-worker');
    expect(held.begun()).toBe(1);
  });

  async function expectOneSetup(fault: string, hurt: () => Promise<void>) {
    const { stack } = box;
    const id = `setup-${fault.replaceAll(' ', '-')}`;
    const held = heldSetup(stack, id);
    await workerFor(fault);
    await box.startQuick(id, { task: { setup: held.setup } });
    await held.untilBegun();
    await hurt();
    held.release();
    await untilStopped(stack, id);
    await box.expectUnharmed(id);
    expect(held.begun()).toBe(1);
    await expectRenewed(fault);
  }

  test.each(Object.entries(HURTS))(
    '%s in the middle of a setup costs nothing: the setup goes on, once',
    expectOneSetup,
  );

  test.skipIf(noNetworks !== undefined)(
    `${SILENCE} in the middle of a setup costs nothing: the setup goes on, once ${noNetworks ?? ''}`,
    async () => expectOneSetup(SILENCE, silence),
  );

  type Hurt = (worker: TestWorker) => Promise<void>;
  const expectAskedAgain = async (fault: string, hurt: Hurt): Promise<void> =>
    box.expectUnharmed(await askThrough(fault, hurt));

  /** Harms a run while the evaluator asks it, and waits for the end of the research. Returns the id of the research. */
  async function askThrough(fault: string, hurt: Hurt): Promise<string> {
    const { stack } = box;
    const id = `asked-${fault.replaceAll(' ', '-')}`;
    const [askedFile, hold] = [join(stack.home, `${id}-asked`), join(stack.home, `${id}-hold`)];
    writeFileSync(hold, '');
    const mortal = await workerFor(fault);
    await box.startQuick(id, {
      task: {
        evaluator: {
          type: 'interactive',
          command: 'sh ask.sh',
          answer: 'sh answer.sh',
          timeoutSeconds: 120,
          roundSeconds: 60,
        },
      },
      files: {
        'workspace/answer.sh':
          `echo asked >> ${askedFile}; while [ -e ${hold} ]; do sleep .1; done; ` + 'read -r question; echo 9\n',
        'evaluator/ask.sh': `echo question; read -r answer && printf '{"score": -%s}' "$answer" >&3\n`,
      },
    });
    await expect.poll(() => existsSync(askedFile), { timeout: 180_000 }).toBe(true);
    await hurt(mortal);
    rmSync(hold);
    await untilStopped(stack, id);
    // Two candidates were asked, and the first one once more.
    expect(readFileSync(askedFile, 'utf8').split('\n').length - 1).toBeGreaterThanOrEqual(3);
    return id;
  }

  test.each([
    ...Object.entries(HURTS),
    ['a host that is rebooted', () => box.reboot()] as const,
    [
      'a worker that dies',
      async (mortal: TestWorker) => {
        await mortal.kill();
        await replace(box.stack.startWorker({ slots: 1 }));
      },
    ] as const,
  ])('%s while a candidate is asked costs nothing: it is asked once more', expectAskedAgain);

  test('a supervisor that dies while a candidate is asked costs one more placement', async () => {
    const id = await askThrough('a supervisor that dies', async () => signalAll(box.supervisors()));
    const { trials, counts } = await readLedger(box.stack, id);
    expect(trials.map(({ status }) => status)).toEqual(['completed', 'completed']);
    await expectStrictVerdicts(box.stack, id);
    expect(counts).toMatchObject({ leased: 0, repeated: 0 });
    // The other candidate may have been asked, too.
    expect([3, 4]).toContain(counts['runs']);
    await expectNoProcesses(box.scratch);
  });

  test.skipIf(noNetworks !== undefined)(
    `${SILENCE} while a candidate is asked costs nothing: it is asked once more ${noNetworks ?? ''}`,
    async () => expectAskedAgain(SILENCE, silence),
  );

  test('a connection that is cut again and again costs nothing', async () => {
    const { stack } = box;
    await workerFor('cut');
    await box.startQuick('cut', {
      searches: SEARCHES,
      task: { search: { parent: 'original', proposer: 'random', window: 1 } },
    });
    let cuts = 0;
    let isOver = false;
    // A verb is tried three times, and one trial at a time takes several. So there are at most two cuts between steps.
    const cutting = (async () => {
      let [step, cutsOfStep] = [0, 0];
      for (; !isOver; await sleep(300)) {
        const [row] = await stack.query<{ steps: number }>(
          `select (count(launched_at) + count(ended_at))::int as steps from runs where trial_id like 'cut/%'`,
        );
        if (row && row.steps > step) [step, cutsOfStep] = [row.steps, 0];
        if (cutsOfStep === 2 || box.sshd.sessions().length === 0) continue;
        [cuts, cutsOfStep] = [cuts + 1, cutsOfStep + 1];
        box.sshd.cut();
      }
    })();
    const stopped = untilStopped(stack, 'cut').finally(() => (isOver = true));
    await Promise.all([stopped, cutting]);
    expect(cuts).toBeGreaterThan(SEARCHES);
    await box.expectUnharmed('cut', SEARCHES);
  });
});
