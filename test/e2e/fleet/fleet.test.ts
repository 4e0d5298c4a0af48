import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFleetStatus } from '../../../db/reads/fleet/read-fleet.ts';
import {
  expectUninterrupted,
  release,
  runProcesses,
  startsOf,
  trialsOf,
  untilRunning,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { noSshd } from '../../support/machine/sshd.ts';
import { type SshdFleet, startSshdFleet } from './sshd-fleet.ts';

describe.skipIf(noSshd !== undefined)(`trials on a fleet${noSshd ? ` (${noSshd})` : ''}`, () => {
  let fleet: SshdFleet;
  beforeAll(async () => {
    fleet = await startSshdFleet([
      { name: 'a', pool: 'two' },
      { name: 'b', pool: 'two' },
      { name: 'c', pool: 'one' },
      { name: 'd', pool: 'away', lostAfterSeconds: 3 },
      { name: 'e', pool: 'away', lostAfterSeconds: 3 },
    ]);
  });
  afterAll(() => fleet.stop());

  test('run on all hosts of the pool that the task asks for, each once, and nowhere else', async () => {
    await fleet.begin('spread', 'two', { searches: 4 });
    await untilRunning(fleet.stack, 'spread', 2);
    const running = (await readFleetStatus(fleet.db)).filter(({ pool }) => pool === 'two');
    expect(running.map(({ name, slots, running: trials }) => [name, slots, trials.length])).toEqual([
      ['a', 1, 1],
      ['b', 1, 1],
    ]);
    release(fleet.stack, 'spread');
    await untilStopped(fleet.stack, 'spread');
    await expectUninterrupted(fleet.stack, 'spread', 4);
    expect([...new Set((await fleet.hostsOf('spread')).map(({ host }) => host))].sort()).toEqual(['a', 'b']);
  });

  test('go on while their host cannot be reached, and are followed again when it is back', async () => {
    await fleet.begin('cut', 'one', { searches: 1 });
    await untilRunning(fleet.stack, 'cut', 1);
    await fleet.sshdOf('c').stop();
    await fleet.untilFailed('c');
    release(fleet.stack, 'cut');
    await fleet.sshdOf('c').start();
    await untilStopped(fleet.stack, 'cut');
    await expectUninterrupted(fleet.stack, 'cut', 1);
    await fleet.untilWell('c');
  });

  test('are placed on another host as often as theirs stays away, and their old runs end when it is back', async () => {
    // The other host's slot stays free.
    await fleet.begin('moved', 'away', { searches: 1, window: 1 });
    await untilRunning(fleet.stack, 'moved', 1);
    const [first] = await fleet.hostsOf('moved');
    const [gone, other] = first?.host === 'd' ? (['d', 'e'] as const) : (['e', 'd'] as const);
    const untilRuns = (what: string, condition: string) =>
      fleet.stack.until(`it to run ${what}`, `select ${condition} as done from runs where trial_id = 'moved/1'`);
    const moveFrom = async (host: string, placement: number): Promise<void> => {
      await fleet.sshdOf(host).stop();
      await untilRuns('elsewhere', `bool_or(placement = ${placement} and launched_at is not null)`);
      await expect.poll(() => Object.values(startsOf(fleet.stack, 'moved'))).toEqual([placement + 1]);
      await fleet.sshdOf(host).start();
      await fleet.untilWell('d', 'e');
    };
    await moveFrom(gone, 1);
    await untilRuns('on without its orphan', 'bool_and(placement > 0 or ended_at is not null)');
    await moveFrom(other, 2);
    expect((await fleet.hostsOf('moved')).slice(0, 3).map(({ host }) => host)).toEqual([gone, other, gone]);
    release(fleet.stack, 'moved');
    await untilStopped(fleet.stack, 'moved');
    const trials = await trialsOf(fleet.stack, 'moved');
    expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
    expect(Object.values(startsOf(fleet.stack, 'moved')).sort()).toEqual([1, 3]);
    await expect.poll(() => runProcesses('moved')).toEqual([]);
  });

  test('survive a worker that is killed: another one follows them, with nothing run twice', async () => {
    await fleet.begin('orphaned', 'two', { searches: 3 });
    await untilRunning(fleet.stack, 'orphaned', 2);
    await fleet.worker.kill();
    fleet.worker = await fleet.stack.startWorker({ slots: 1 });
    release(fleet.stack, 'orphaned');
    await untilStopped(fleet.stack, 'orphaned');
    await expectUninterrupted(fleet.stack, 'orphaned', 3);
  });

  test('keep their end, time and output if a person stops them in mid-run', async () => {
    // Each has a slot: a trial that waits for one might have printed nothing yet.
    await fleet.begin('stopped', 'two', { searches: 3, window: 2 });
    await untilRunning(fleet.stack, 'stopped', 2);
    await fleet.stack.client.workflow.getHandle('stopped').signal('stop', { now: true });
    await untilStopped(fleet.stack, 'stopped');
    const kept = await fleet.stack.query(
      `select failure, seconds > 0 as lasted, "end"->>'reason' as reason, log_tail <> '' as said
       from trials join runs on runs.trial_id = trials.id where research_id = 'stopped' and failure is not null`,
    );
    expect(kept.length).toBeGreaterThan(0);
    for (const one of kept)
      expect(one).toEqual({ failure: 'stopped-by-operator', lasted: true, reason: 'killed', said: true });
  });
});
