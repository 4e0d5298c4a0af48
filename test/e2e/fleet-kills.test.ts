import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KillPoint } from '../../activities/deps.ts';
import { connect } from '../../db/connect.ts';
import { applyFleet } from '../../db/queries/apply-fleet.ts';
import { Fleet } from '../../domain/fleet/fleet.ts';
import { release, runProcesses, slowTask, startsOf, trialsOf, untilRunning, untilStopped } from '../support/faults.ts';
import { expectNoProcesses, expectStrictVerdicts, processesOf, readLedger } from '../support/ledger.ts';
import { signalAll } from '../support/signal.ts';
import { noSshd, startSshd, type Sshd } from '../support/sshd.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

const SEARCHES = 3;
const POINTS: KillPoint[] = [
  'permit-offered',
  'lease-taken',
  'run-begun',
  'run-launched',
  'mid-run',
  'run-ended',
  'scored',
  'verdict-stored',
];

/** Steps of each curve. */
const CURVE = '1 2';

let stack: TestStack;
let box: Sshd;

const start = async (id: string, { searches = SEARCHES, task: more = {}, files = {} } = {}): Promise<void> => {
  const task = await writeTask(join(stack.home, 'tasks', id), {
    files,
    task: {
      run: {
        ...{ command: 'sh run.sh', budget: { seconds: 5, kind: 'wall' }, artefacts: [{ path: 'out.txt' }] },
        ...{ sandbox: 'none', resources: { pool: 'lab' } },
      },
      search: { parent: 'original', proposer: 'random', window: 2 },
      ...more,
    },
  });
  await stack.startResearch(id, { task, budget: { trials: searches } });
};

/** What must hold whatever was killed: the same trials, each run once, the same verdicts, and nothing left. */
async function expectUnharmed(id: string, searches = SEARCHES): Promise<void> {
  const { trials, curves, counts } = await readLedger(stack, id);
  expect(trials.map(({ kind }) => kind).sort()).toEqual(['baseline', ...Array<string>(searches).fill('search')]);
  expect(trials.map(({ status }) => status)).toEqual(Array(searches + 1).fill('completed'));
  await expectStrictVerdicts(stack, id);
  expect(counts).toEqual({ runs: searches + 1, leased: 0, repeated: 0 });
  expect(curves).toEqual(Array(searches + 1).fill(CURVE));
  await expectNoProcesses(join(box.home, '.perpetua-host'));
}

/** Supervisors on the host, with their helpers. */
const supervisors = (): number[] =>
  processesOf(join(box.home, '.perpetua-host'))
    .filter((line) => /\/supervisor-\w+\.sh/.test(line) && !line.includes('--inside'))
    .map((line) => parseInt(line));

/** A host goes down with all that runs there, and comes back. */
async function reboot(): Promise<void> {
  await box.stop();
  signalAll(supervisors());
  await box.start();
}

/** What happens to the way to a host, while all on it goes on. */
const FAULTS: Record<string, () => Promise<void>> = {
  'a connection that is cut': () => Promise.resolve(box.cut()),
  'an sshd that dies': async () => {
    await box.stop();
    await box.start();
  },
};
/** The steps of a trial at which a worker has something to ask of its host, or has just asked it. */
const STEPS: KillPoint[] = ['run-begun', 'run-launched', 'mid-run', 'run-ended'];

/** Until it stands still at its point: what happens to its host now happens there, on however slow a machine. */
const untilStill = (worker: TestWorker): Promise<void> =>
  expect
    .poll(() => /\) (\S)/.exec(readFileSync(`/proc/${worker.process.pid}/stat`, 'utf8'))?.[1], { timeout: 180_000 })
    .toBe('T');

describe.skipIf(noSshd !== undefined)(`killed on a fleet${noSshd ? ` (${noSshd})` : ''}`, () => {
  beforeAll(async () => {
    stack = await startTestStack();
    box = await startSshd();
    const { port, user, key, knownHosts } = box;
    const host = { name: 'box', pool: 'lab', slots: 2, address: '127.0.0.1', port, user, keyFile: key };
    const database = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
    await applyFleet(
      database.db,
      Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: [{ ...host, knownHosts: [knownHosts] }] }),
    );
    await database.close();
    const worker = await stack.startWorker({ slots: 1 });
    await stack.until('the host to be well', `select seen_at is not null as done, last_error from hosts`);
    await worker.stop();
  });
  afterAll(async () => {
    await stack.stop();
    await box.destroy();
  });

  test.each(POINTS)('a worker that dies at %s costs nothing: the same trials, each once', async (point) => {
    const worker = await stack.startWorker({ slots: 1, killAt: point });
    await start(point, { searches: 1 });
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    const next = await stack.startWorker({ slots: 1 });
    await untilStopped(stack, point);
    await expectUnharmed(point, 1);
    await next.stop();
  });

  test.each(STEPS.flatMap((step) => Object.entries(FAULTS).map(([what, hurt]) => [what, step, hurt] as const)))(
    '%s at %s costs nothing: the same trials, each once',
    async (what, step, hurt) => {
      const id = `${step}-${what.replaceAll(' ', '-')}`;
      const worker = await stack.startWorker({ slots: 1, killAt: `${step}:stop` });
      await start(id, { searches: 1 });
      await untilStill(worker);
      await hurt();
      worker.process.kill('SIGCONT');
      await untilStopped(stack, id);
      await expectUnharmed(id, 1);
      await worker.stop();
    },
  );

  test.each(Object.entries(FAULTS))(
    '%s while a candidate is asked costs nothing: it is asked once more',
    async (what, hurt) => {
      const id = `asked-${what.replaceAll(' ', '-')}`;
      const [asked, hold] = [join(stack.home, `${id}-asked`), join(stack.home, `${id}-hold`)];
      writeFileSync(hold, '');
      const worker = await stack.startWorker({ slots: 1 });
      await start(id, {
        searches: 1,
        task: {
          evaluator: {
            ...{ type: 'interactive', command: 'sh ask.sh', answer: 'sh answer.sh' },
            ...{ timeoutSeconds: 120, roundSeconds: 60 },
          },
        },
        files: {
          'workspace/answer.sh': `: > ${asked}; while [ -e ${hold} ]; do sleep .1; done; read -r question; echo 9\n`,
          'evaluator/ask.sh': `echo question; read -r answer && printf '{"score": -%s}' "$answer" >&3\n`,
        },
      });
      await expect.poll(() => existsSync(asked), { timeout: 180_000 }).toBe(true);
      await hurt();
      rmSync(hold);
      await untilStopped(stack, id);
      await expectUnharmed(id, 1);
      await worker.stop();
    },
  );

  test('a connection that is cut again and again costs nothing', async () => {
    const worker = await stack.startWorker({ slots: 1 });
    let cuts = 0;
    let timer: NodeJS.Timeout | undefined;
    // Ever later, so that the slowest machine gets through in the end.
    const cutAfter = (ms: number): void => {
      timer = setTimeout(() => {
        cuts += box.sessions().length > 0 ? 1 : 0;
        box.cut();
        cutAfter(ms * 1.25);
      }, ms);
    };
    cutAfter(400);
    await start('cut');
    await untilStopped(stack, 'cut').finally(() => clearTimeout(timer));
    expect(cuts).toBeGreaterThan(1);
    await expectUnharmed('cut');
    await worker.stop();
  });

  test.each(['run-begun', 'run-ended'] as const)(
    'a host that goes down at %s, while nothing runs there, costs nothing: the same trials, each once',
    async (step) => {
      const id = `${step}-down`;
      const worker = await stack.startWorker({ slots: 1, killAt: `${step}:stop` });
      await start(id, { searches: 1 });
      await untilStill(worker);
      await expectNoProcesses(join(box.home, '.perpetua-host'));
      await reboot();
      worker.process.kill('SIGCONT');
      await untilStopped(stack, id);
      await expectUnharmed(id, 1);
      await worker.stop();
    },
  );

  test.each([
    ['a run', async () => signalAll(supervisors())],
    ['a host', () => reboot()],
  ])('%s that dies before anybody follows what was launched costs one more placement', async (what, kill) => {
    const id = `launched-${what.replaceAll(' ', '-')}`;
    const worker = await stack.startWorker({ slots: 1, killAt: 'run-launched:stop' });
    const task = await slowTask(stack, id, { seconds: 0.4, held: true, pool: 'lab' });
    await stack.startResearch(id, { task, window: 1, budget: { trials: 1 } });
    await untilStill(worker);
    await expect.poll(supervisors).not.toEqual([]);
    await kill();
    worker.process.kill('SIGCONT');
    await stack.until(
      'it to run once more',
      `select count(*) = 1 as done from runs where trial_id = $1 and placement = 1 and log_offset > 0`,
      [`${id}/0`],
    );
    release(stack, id);
    await untilStopped(stack, id);
    const trials = await trialsOf(stack, id);
    expect(trials.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(trials.map(({ placement }) => placement).sort()).toEqual([0, 1]);
    await expect.poll(() => runProcesses(id)).toEqual([]);
    await worker.stop();
  });

  test.each([
    ['runs', async () => signalAll(supervisors())],
    ['all of a host', () => reboot()],
  ])('%s that die are lost, and each is placed once more', async (what, kill) => {
    const id = what.replaceAll(' ', '-');
    const worker = await stack.startWorker({ slots: 1 });
    const task = await slowTask(stack, id, { seconds: 0.4, held: true, pool: 'lab' });
    await stack.startResearch(id, { task, window: 2, budget: { trials: 2 } });
    await untilRunning(stack, id, 2);
    expect(supervisors().length).toBeGreaterThanOrEqual(2);
    await kill();
    await stack.until(
      'both to run once more',
      `select count(*) = 2 as done from runs where trial_id like $1 || '/%' and placement = 1 and log_offset > 0`,
      [id],
    );
    release(stack, id);
    await untilStopped(stack, id);
    const trials = await trialsOf(stack, id);
    expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
    expect(trials.map(({ placement }) => placement)).toEqual([1, 1, 0]);
    expect(Object.values(startsOf(stack, id)).sort()).toEqual([1, 2, 2]);
    await expect.poll(() => runProcesses(id)).toEqual([]);
    await worker.stop();
  });
});
