import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KillPoint } from '../../../activities/deps.ts';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { CURVE, doubledSteps, release, runProcesses, slowTask, startsOf } from '../../support/e2e/slow-task.ts';
import { trialsOf, untilRunning, untilStopped } from '../../support/e2e/slow-task.ts';
import type { TestWorker } from '../../support/stack.ts';
import {
  type FleetBox,
  heldSetup,
  LAB,
  setupProcesses,
  startFleetBox,
  untilSuspended,
} from '../../support/machine/fleet-box.ts';
import { expectNoProcesses, expectStrictVerdicts } from '../../support/database/ledger.ts';
import { signalAll } from '../../support/process/signal.ts';
import { noSshd } from '../../support/machine/sshd.ts';

let box: FleetBox;
let worker: TestWorker;

/** The parts of a host that die, and at which points. */
const DEATHS = [
  ['a run', async () => signalAll(box.supervisors()), FAULTS['run-lost/ssh/random']],
  ['a host', () => box.reboot(), FAULTS['host-lost/ssh/random']],
] as const;
const deathsAt = (point: KillPoint) =>
  DEATHS.filter(([, , points]) => (points as readonly KillPoint[]).includes(point));

describe.skipIf(noSshd !== undefined)(`killed on a host of a fleet${noSshd ? ` (${noSshd})` : ''}`, () => {
  beforeAll(async () => {
    box = await startFleetBox();
    worker = await box.stack.startWorker({ slots: 1 });
  });
  afterAll(() => box.destroy());

  /** Expects each trial's outcome, points and verdict once, of its last placement, and no leftovers. */
  async function expectPlaced(id: string, placements: number[]): Promise<void> {
    const trials = await trialsOf(box.stack, id);
    expect(trials.map(({ status }) => status)).toEqual(placements.map(() => 'completed'));
    expect(trials.map(({ placement }) => placement).sort()).toEqual(placements);
    expect(trials.map(({ steps }) => steps)).toEqual(placements.map(() => CURVE));
    expect(await doubledSteps(box.stack, id)).toEqual([]);
    await expectStrictVerdicts(box.stack, id);
    await expect.poll(() => runProcesses(id)).toEqual([]);
    await expectNoProcesses(box.scratch);
  }

  test.each(FAULTS['host-down/ssh/random'])(
    'a host that goes down at %s, while nothing runs there, costs nothing: the same trials, each once',
    async (step) => {
      const { stack } = box;
      const id = `${step}-down`;
      worker.dieAt(`${step}:stop`);
      await box.startQuick(id);
      await untilSuspended(worker);
      await expectNoProcesses(box.scratch);
      await box.reboot();
      worker.process.kill('SIGCONT');
      await untilStopped(stack, id);
      await box.expectUnharmed(id);
    },
  );

  test.each([
    ['a setup', async () => signalAll(setupProcesses(box.scratch))],
    ['a host', () => box.reboot()],
  ])(
    '%s that dies in the middle of the setup costs nothing but that setup, which is begun again',
    async (victim, kill) => {
      const { stack } = box;
      const id = `prepare-${victim.replaceAll(' ', '-')}`;
      const held = heldSetup(stack, id);
      await box.startQuick(id, { task: { setup: held.setup } });
      await held.untilBegun();
      await kill();
      await held.untilBegun(2);
      held.release();
      await untilStopped(stack, id);
      await box.expectUnharmed(id);
      expect(held.begun()).toBe(2);
      // The host measures its stages, too, when a run has ended.
      await expectNoProcesses(box.scratch, 'stages');
    },
  );

  test.each(deathsAt('run-launched'))(
    '%s that dies before anybody follows the launched run costs one more placement',
    async (victim, kill) => {
      const { stack } = box;
      const id = `launched-${victim.replaceAll(' ', '-')}`;
      worker.dieAt('run-launched:stop');
      const task = await slowTask(stack, id, { seconds: 0.4, held: true, pool: LAB });
      await stack.startResearch(id, { task, window: 1, budget: { trials: 1 } });
      await untilSuspended(worker);
      await expect.poll(() => box.supervisors()).not.toEqual([]);
      await kill();
      worker.process.kill('SIGCONT');
      await untilOnceMore(id, 1);
      release(stack, id);
      await untilStopped(stack, id);
      await expectPlaced(id, [0, 1]);
    },
  );

  test.each(deathsAt('mid-run'))(
    '%s that dies in mid-run is lost, and each trial there is placed once more',
    async (victim, kill) => {
      const { stack } = box;
      const id = `running-${victim.replaceAll(' ', '-')}`;
      const task = await slowTask(stack, id, { seconds: 0.4, held: true, pool: LAB });
      await stack.startResearch(id, { task, window: 2, budget: { trials: 2 } });
      await untilRunning(stack, id, 2);
      expect(box.supervisors().length).toBeGreaterThanOrEqual(2);
      await kill();
      await untilOnceMore(id, 2);
      release(stack, id);
      await untilStopped(stack, id);
      await expectPlaced(id, [0, 1, 1]);
      expect(Object.values(startsOf(stack, id)).sort()).toEqual([1, 2, 2]);
    },
  );

  const untilOnceMore = (id: string, count: number): Promise<void> =>
    box.stack.until(
      `${count} trials to run once more`,
      `select count(*) = $2 as done from runs where trial_id like $1 || '/%' and placement = 1 and log_offset > 0`,
      [id, count],
    );
});
