import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drainHosts } from '../../../db/host/fleet.ts';
import {
  expectCompleted,
  expectUninterrupted,
  isPassOpen,
  release,
  releaseOneRun,
  runProcesses,
  slowTask,
  trialsOf,
  untilRunning,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { makeNetwork, noNetworks, type TestNetwork } from '../../support/machine/network.ts';
import { noSshd, startSshd } from '../../support/machine/sshd.ts';
import { writeTask } from '../../support/tasks.ts';
import { type SshdFleet, startSshdFleet } from './sshd-fleet.ts';

describe.skipIf(noSshd !== undefined)(`trials on hosts that change${noSshd ? ` (${noSshd})` : ''}`, () => {
  let fleet: SshdFleet;
  /** Network of the host `far`, if this machine can have one. */
  let network: TestNetwork | undefined;
  beforeAll(async () => {
    if (noNetworks === undefined) network = makeNetwork();
    fleet = await startSshdFleet(
      [
        { name: 'a', pool: 'two' },
        { name: 'b', pool: 'two' },
        { name: 'c', pool: 'one' },
        ...['f', 'g', 'h', 'i'].map((name) => ({ name, pool: 'setup' })),
        ...(network ? [{ name: 'far', pool: 'far' }] : []),
      ],
      network ? { far: await startSshd({ network }) } : {},
    );
  });
  afterAll(async () => {
    await fleet.stop();
    network?.destroy();
  });

  test('see the environment of their host over that of its pool, and the task over both', async () => {
    const seen = join(fleet.stack.home, 'seen');
    const folder = await writeTask(join(fleet.stack.home, 'tasks', 'seeing'), {
      task: {
        run: {
          command: `echo "$SITE, $LAB, $X_OF_TASK" >> ${seen}; sh run.sh`,
          budget: { seconds: 60, kind: 'wall' },
          artefacts: [{ path: 'out.txt' }],
          sandbox: 'none',
          resources: { pool: 'one' },
          env: { X_OF_TASK: 'of the task' },
        },
      },
    });
    await fleet.stack.startResearch('seeing', { task: folder, window: 1, budget: { trials: 1 } });
    await untilStopped(fleet.stack, 'seeing');
    const lines = readFileSync(seen, 'utf8').trim().split('\n');
    expect([...new Set(lines)]).toEqual(['of the pool, of c, of the task']);
  });

  const setsUp = (command: string) => ({ setup: { commands: [command], timeoutSeconds: 30 } });

  test('find their workspace and its setup again if somebody cleared the host a moment ago', async () => {
    for (const id of ['set-up', 'cleared']) {
      const task = setsUp('echo ready > "$PERPETUA_DATA/ready"');
      const folder = await slowTask(fleet.stack, id, { seconds: 0.4, held: true, pool: 'one', task });
      await fleet.stack.startResearch(id, { task: folder, window: 3, budget: { trials: 1 } });
      await untilRunning(fleet.stack, id, 1);
      release(fleet.stack, id);
      await untilStopped(fleet.stack, id);
      await expectUninterrupted(fleet.stack, id, 1);
      rmSync(join(fleet.sshdOf('c').home, '.perpetua-host', 'stages'), { recursive: true });
    }
  });

  test('are set up once more if somebody clears the host between their setup and their start', async () => {
    const undone = join(fleet.stack.home, 'undone');
    const prepared = `while [ ! -e "$HOME/prepared" ]; do sleep 0.01; done`;
    const clear = `${prepared}; mv "$HOME" "$HOME.cleared"; rm -rf "$HOME.cleared"`;
    const task = setsUp(`[ -e ${undone} ] || { : > ${undone}; (${clear}) > /dev/null 2>&1 & }`);
    const folder = await slowTask(fleet.stack, 'undone', { seconds: 0.4, pool: 'one', task });
    await fleet.stack.startResearch('undone', { task: folder, budget: { trials: 1 } });
    await untilStopped(fleet.stack, 'undone');
    await expectCompleted(fleet.stack, 'undone', 1);
  });

  test.skipIf(noNetworks !== undefined)(
    `end while their network is silent, and keep that end when it is back ${noNetworks ?? ''}`,
    async () => {
      await fleet.begin('silent', 'far', { searches: 1 });
      await untilRunning(fleet.stack, 'silent', 1);
      network?.pull();
      try {
        await sleep(3000);
        release(fleet.stack, 'silent');
        await expect.poll(() => runProcesses('silent')).toEqual([]);
        await sleep(3000);
      } finally {
        network?.plugIn();
      }
      await untilStopped(fleet.stack, 'silent');
      await expectUninterrupted(fleet.stack, 'silent', 1);
      await fleet.untilWell('far');
    },
  );

  test('leave a host that is drained, and come back when it is resumed', async () => {
    await fleet.begin('drained', 'two', { searches: 5 });
    await untilRunning(fleet.stack, 'drained', 2);
    expect(await drainHosts(fleet.db, { names: ['a'], drain: true })).toEqual(['a']);
    const before = (await fleet.hostsOf('drained')).filter(({ host }) => host === 'a').length;
    // One run takes each pass, the second one perhaps the run on the host that serves.
    for (let pass = 1; pass <= 2; pass += 1) {
      releaseOneRun(fleet.stack, 'drained');
      await expect.poll(() => isPassOpen(fleet.stack, 'drained')).toBe(false);
    }
    await fleet.stack.until(
      'three runs',
      `select count(*) >= 3 as done from runs where trial_id like 'drained/%' and launched_at is not null`,
    );
    release(fleet.stack, 'drained');
    await untilStopped(fleet.stack, 'drained');
    expect((await fleet.hostsOf('drained')).filter(({ host }) => host === 'a')).toHaveLength(before);
    expect(await drainHosts(fleet.db, { names: ['a'], drain: false })).toEqual(['a']);
    await fleet.begin('resumed', 'two', { searches: 2 });
    await untilRunning(fleet.stack, 'resumed', 2);
    release(fleet.stack, 'resumed');
    await untilStopped(fleet.stack, 'resumed');
  });

  test('are set up on another host if one fails to, and fail only if several do', async () => {
    const refuses = `case $HOME in ${fleet.sshdOf('f').folder}/*) echo "no route to the index" >&2; exit 1 ;; esac`;
    const mixed = await slowTask(fleet.stack, 'mixed', {
      seconds: 0.4,
      held: true,
      pool: 'setup',
      task: setsUp(refuses),
    });
    await fleet.stack.startResearch('mixed', { task: mixed, window: 4, budget: { trials: 4 } });
    await untilRunning(fleet.stack, 'mixed', 3);
    // All others are busy, so this host has the free slot. Other tasks may go on using it.
    await fleet.stack.until(
      'the host to refuse',
      `select note like '%no route to the index%' as done, note, quarantined_until from hosts where name = 'f'`,
    );
    expect(await fleet.stack.query(`select name from hosts where quarantined_until is not null`)).toEqual([]);
    release(fleet.stack, 'mixed');
    await untilStopped(fleet.stack, 'mixed');
    const trials = await trialsOf(fleet.stack, 'mixed');
    expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
    expect((await fleet.hostsOf('mixed')).map(({ host }) => host)).not.toContain('f');

    const bad = await slowTask(fleet.stack, 'bad', {
      pool: 'setup',
      task: setsUp('echo "no compiler here"; cat knobs.env'),
    });
    await fleet.stack.startResearch('bad', { task: bad, window: 1, budget: { trials: 1 } });
    await fleet.stack.until('the trial to end', `select status is not null as done from trials where id = 'bad/1'`, []);
    const [first] = await trialsOf(fleet.stack, 'bad');
    expect(first?.failure).toBe('setup-failed');
    expect(first?.failure_message).toMatch(/host [fghi]: .*\nSetup cannot read knobs\.env.*\nno compiler here/s);
    expect(await fleet.stack.query(`select name from hosts where quarantined_until is not null`)).toEqual([]);
    await fleet.stack.client.workflow.getHandle('bad').signal('stop', { now: true });
    await untilStopped(fleet.stack, 'bad');
  });
});
