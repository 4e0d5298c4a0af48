import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFleetStatus } from '../../../db/reads/fleet/read-fleet.ts';
import { connect } from '../../../db/connect.ts';
import { applyFleet } from '../../../db/host/apply-fleet.ts';
import { drainHosts } from '../../../db/host/fleet.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import {
  expectCompleted,
  expectUninterrupted,
  isPassOpen,
  releaseOneRun,
  release,
  runProcesses,
  slowTask,
  startsOf,
  trialsOf,
  untilRunning,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { makeNetwork, noNetworks, type TestNetwork } from '../../support/machine/network.ts';
import { noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
let worker: TestWorker;
let database: ReturnType<typeof connect>;
const sshds: Record<string, Sshd> = {};
/** Network of the host `far`, if this machine can have one. */
let network: TestNetwork | undefined;

/** Hosts of a fleet that are this machine under sshds of their own, with one slot each. */
function fleetOf(hosts: { name: string; pool: string; lostAfterSeconds?: number }[]): Fleet {
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

function sshdOf(name: string): Sshd {
  const sshd = sshds[name];
  if (!sshd) throw new Error(`Expected a test host ${name}`);
  return sshd;
}

const begin = async (id: string, pool: string, { searches, window = 3 }: { searches: number; window?: number }) => {
  const task = await slowTask(stack, id, { seconds: 0.4, held: true, pool });
  await stack.startResearch(id, { task, window, budget: { trials: searches } });
};
const hostsOf = (id: string) =>
  stack.query<{ n: number; placement: number; host: string }>(
    `select n, runs.placement, host from runs join trials on trials.id = trial_id
     where research_id = $1 order by n, runs.placement`,
    [id],
  );
const untilWell = (...names: string[]): Promise<void> =>
  stack.until(
    `${names.join(' and ')} to be well`,
    `select count(*) = $2 as done, json_agg(last_error) from hosts
     where name = any($1) and seen_at is not null and quarantined_until is null`,
    [names, names.length],
  );
const untilFailed = (name: string): Promise<void> =>
  stack.until(`${name} to fail`, `select quarantined_until is not null as done from hosts where name = $1`, [name]);

describe.skipIf(noSshd !== undefined)(`trials on a fleet${noSshd ? ` (${noSshd})` : ''}`, () => {
  beforeAll(async () => {
    stack = await startTestStack();
    database = connect(stack.databaseUrl, { max: 2, onError: () => undefined });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']) sshds[name] = await startSshd();
    if (noNetworks === undefined) sshds.far = await startSshd({ network: (network = makeNetwork()) });
    worker = await stack.startWorker({ slots: 1 });
    await applyFleet(
      database.db,
      fleetOf([
        { name: 'a', pool: 'two' },
        { name: 'b', pool: 'two' },
        { name: 'c', pool: 'one' },
        { name: 'd', pool: 'away', lostAfterSeconds: 3 },
        { name: 'e', pool: 'away', lostAfterSeconds: 3 },
        ...['f', 'g', 'h', 'i'].map((name) => ({ name, pool: 'setup' })),
        ...(network ? [{ name: 'far', pool: 'far' }] : []),
      ]),
    );
    await untilWell('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i');
  });
  afterAll(async () => {
    await worker.stop();
    await database.close();
    await stack.stop();
    await Promise.all(Object.values(sshds).map((sshd) => sshd.destroy()));
    network?.destroy();
  });

  test('run on all hosts of the pool that the task asks for, each once, and nowhere else', async () => {
    await begin('spread', 'two', { searches: 4 });
    await untilRunning(stack, 'spread', 2);
    const running = (await readFleetStatus(database.db)).filter(({ pool }) => pool === 'two');
    expect(running.map(({ name, slots, running: trials }) => [name, slots, trials.length])).toEqual([
      ['a', 1, 1],
      ['b', 1, 1],
    ]);
    release(stack, 'spread');
    await untilStopped(stack, 'spread');
    await expectUninterrupted(stack, 'spread', 4);
    expect([...new Set((await hostsOf('spread')).map(({ host }) => host))].sort()).toEqual(['a', 'b']);
  });

  test('go on while their host cannot be reached, and are followed again when it is back', async () => {
    await begin('cut', 'one', { searches: 1 });
    await untilRunning(stack, 'cut', 1);
    await sshdOf('c').stop();
    await untilFailed('c');
    release(stack, 'cut');
    await sshdOf('c').start();
    await untilStopped(stack, 'cut');
    await expectUninterrupted(stack, 'cut', 1);
    await untilWell('c');
  });

  test('see the environment of their host over that of its pool, and the task over both', async () => {
    const seen = join(stack.home, 'seen');
    const folder = await writeTask(join(stack.home, 'tasks', 'seeing'), {
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
    await stack.startResearch('seeing', { task: folder, window: 1, budget: { trials: 1 } });
    await untilStopped(stack, 'seeing');
    const lines = readFileSync(seen, 'utf8').trim().split('\n');
    expect([...new Set(lines)]).toEqual(['of the pool, of c, of the task']);
  });

  const setsUp = (command: string) => ({ setup: { commands: [command], timeoutSeconds: 30 } });

  test('find their workspace and its setup again if somebody cleared the host a moment ago', async () => {
    for (const id of ['set-up', 'cleared']) {
      const task = setsUp('echo ready > "$PERPETUA_DATA/ready"');
      const folder = await slowTask(stack, id, { seconds: 0.4, held: true, pool: 'one', task });
      await stack.startResearch(id, { task: folder, window: 3, budget: { trials: 1 } });
      await untilRunning(stack, id, 1);
      release(stack, id);
      await untilStopped(stack, id);
      await expectUninterrupted(stack, id, 1);
      rmSync(join(sshdOf('c').home, '.perpetua-host', 'stages'), { recursive: true });
    }
  });

  test('are set up once more if somebody clears the host between their setup and their start', async () => {
    const undone = join(stack.home, 'undone');
    const prepared = `while [ ! -e "$HOME/prepared" ]; do sleep 0.01; done`;
    const clear = `${prepared}; mv "$HOME" "$HOME.cleared"; rm -rf "$HOME.cleared"`;
    const task = setsUp(`[ -e ${undone} ] || { : > ${undone}; (${clear}) > /dev/null 2>&1 & }`);
    const folder = await slowTask(stack, 'undone', { seconds: 0.4, pool: 'one', task });
    await stack.startResearch('undone', { task: folder, budget: { trials: 1 } });
    await untilStopped(stack, 'undone');
    await expectCompleted(stack, 'undone', 1);
  });

  test.skipIf(noNetworks !== undefined)(
    `end while their network is silent, and keep that end when it is back ${noNetworks ?? ''}`,
    async () => {
      await begin('silent', 'far', { searches: 1 });
      await untilRunning(stack, 'silent', 1);
      network?.pull();
      try {
        await sleep(3000);
        release(stack, 'silent');
        await expect.poll(() => runProcesses('silent')).toEqual([]);
        await sleep(3000);
      } finally {
        network?.plugIn();
      }
      await untilStopped(stack, 'silent');
      await expectUninterrupted(stack, 'silent', 1);
      await untilWell('far');
    },
  );

  test('are placed on another host as often as theirs stays away, and their old runs end when it is back', async () => {
    // The other host's slot stays free.
    await begin('moved', 'away', { searches: 1, window: 1 });
    await untilRunning(stack, 'moved', 1);
    const [first] = await hostsOf('moved');
    const [gone, other] = first?.host === 'd' ? (['d', 'e'] as const) : (['e', 'd'] as const);
    const untilRuns = (what: string, condition: string) =>
      stack.until(`it to run ${what}`, `select ${condition} as done from runs where trial_id = 'moved/1'`);
    const moveFrom = async (host: string, placement: number): Promise<void> => {
      await sshdOf(host).stop();
      await untilRuns('elsewhere', `bool_or(placement = ${placement} and launched_at is not null)`);
      await expect.poll(() => Object.values(startsOf(stack, 'moved'))).toEqual([placement + 1]);
      await sshdOf(host).start();
      await untilWell('d', 'e');
    };
    await moveFrom(gone, 1);
    await untilRuns('on without its orphan', 'bool_and(placement > 0 or ended_at is not null)');
    await moveFrom(other, 2);
    expect((await hostsOf('moved')).slice(0, 3).map(({ host }) => host)).toEqual([gone, other, gone]);
    release(stack, 'moved');
    await untilStopped(stack, 'moved');
    const trials = await trialsOf(stack, 'moved');
    expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
    expect(Object.values(startsOf(stack, 'moved')).sort()).toEqual([1, 3]);
    await expect.poll(() => runProcesses('moved')).toEqual([]);
  });

  test('leave a host that is drained, and come back when it is resumed', async () => {
    await begin('drained', 'two', { searches: 5 });
    await untilRunning(stack, 'drained', 2);
    expect(await drainHosts(database.db, { names: ['a'], drain: true })).toEqual(['a']);
    const before = (await hostsOf('drained')).filter(({ host }) => host === 'a').length;
    // One run takes each pass, the second one perhaps the run on the host that serves.
    for (let pass = 1; pass <= 2; pass += 1) {
      releaseOneRun(stack, 'drained');
      await expect.poll(() => isPassOpen(stack, 'drained')).toBe(false);
    }
    await stack.until(
      'three runs',
      `select count(*) >= 3 as done from runs where trial_id like 'drained/%' and launched_at is not null`,
    );
    release(stack, 'drained');
    await untilStopped(stack, 'drained');
    expect((await hostsOf('drained')).filter(({ host }) => host === 'a')).toHaveLength(before);
    expect(await drainHosts(database.db, { names: ['a'], drain: false })).toEqual(['a']);
    await begin('resumed', 'two', { searches: 2 });
    await untilRunning(stack, 'resumed', 2);
    release(stack, 'resumed');
    await untilStopped(stack, 'resumed');
  });

  test('are set up on another host if one fails to, and fail only if several do', async () => {
    const refuses = `case $HOME in ${sshdOf('f').folder}/*) echo "no route to the index" >&2; exit 1 ;; esac`;
    const mixed = await slowTask(stack, 'mixed', { seconds: 0.4, held: true, pool: 'setup', task: setsUp(refuses) });
    await stack.startResearch('mixed', { task: mixed, window: 4, budget: { trials: 4 } });
    await untilRunning(stack, 'mixed', 3);
    // All others are busy, so this host has the free slot. Other tasks may go on using it.
    await stack.until(
      'the host to refuse',
      `select note like '%no route to the index%' as done, note, quarantined_until from hosts where name = 'f'`,
    );
    expect(await stack.query(`select name from hosts where quarantined_until is not null`)).toEqual([]);
    release(stack, 'mixed');
    await untilStopped(stack, 'mixed');
    const trials = await trialsOf(stack, 'mixed');
    expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
    expect((await hostsOf('mixed')).map(({ host }) => host)).not.toContain('f');

    const bad = await slowTask(stack, 'bad', { pool: 'setup', task: setsUp('echo "no compiler here"; cat knobs.env') });
    await stack.startResearch('bad', { task: bad, window: 1, budget: { trials: 1 } });
    await stack.until('the trial to end', `select status is not null as done from trials where id = 'bad/1'`, []);
    const [first] = await trialsOf(stack, 'bad');
    expect(first?.failure).toBe('setup-failed');
    expect(first?.failure_message).toMatch(/host [fghi]: .*\nSetup cannot read knobs\.env.*\nno compiler here/s);
    expect(await stack.query(`select name from hosts where quarantined_until is not null`)).toEqual([]);
    await stack.client.workflow.getHandle('bad').signal('stop', { now: true });
    await untilStopped(stack, 'bad');
  });

  test('survive a worker that is killed: another one follows them, with nothing run twice', async () => {
    await begin('orphaned', 'two', { searches: 3 });
    await untilRunning(stack, 'orphaned', 2);
    await worker.kill();
    worker = await stack.startWorker({ slots: 1 });
    release(stack, 'orphaned');
    await untilStopped(stack, 'orphaned');
    await expectUninterrupted(stack, 'orphaned', 3);
  });

  test('keep their end, time and output if a person stops them in mid-run', async () => {
    // Each has a slot: a trial that waits for one might have printed nothing yet.
    await begin('stopped', 'two', { searches: 3, window: 2 });
    await untilRunning(stack, 'stopped', 2);
    await stack.client.workflow.getHandle('stopped').signal('stop', { now: true });
    await untilStopped(stack, 'stopped');
    const kept = await stack.query(
      `select failure, seconds > 0 as lasted, "end"->>'reason' as reason, log_tail <> '' as said
       from trials join runs on runs.trial_id = trials.id where research_id = 'stopped' and failure is not null`,
    );
    expect(kept.length).toBeGreaterThan(0);
    for (const one of kept)
      expect(one).toEqual({ failure: 'stopped-by-operator', lasted: true, reason: 'killed', said: true });
  });
});
