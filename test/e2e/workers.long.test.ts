import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  expectNothingHeld,
  expectUninterrupted,
  releaseOneRun,
  release,
  runProcesses,
  slowTask,
  trialsOf,
  untilRunning,
  untilStopped,
} from '../support/e2e/slow-task.ts';
import { processesOf } from '../support/database/ledger.ts';
import { signalAll } from '../support/process/signal.ts';
import { runName } from '../../infra/compute/run-protocol/paths.ts';
import { QUEUES } from '../../domain/messages/names.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';

let stack: TestStack;
let workers: TestWorker[] = [];

beforeAll(async () => {
  stack = await startTestStack();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  workers = [];
});
afterAll(() => stack.stop());

async function startWorker(slots = 2): Promise<TestWorker> {
  const worker = await stack.startWorker({ slots });
  workers.push(worker);
  return worker;
}

/** Starts a research whose runs wait in the middle until they are released. */
async function beginHeld(id: string, { searches, window = 3 }: { searches: number; window?: number }): Promise<void> {
  const task = await slowTask(stack, id, { seconds: 0.4, held: true });
  await stack.startResearch(id, { task, window, budget: { trials: searches } });
}

/** Waits until both trials of a research have their nth follower. */
const untilFollowed = (id: string, nth: number): Promise<void> =>
  stack.until(
    `attempt ${nth} to follow both runs`,
    `select count(*) filter (where attempts >= $2) = 2 as done, json_agg(attempts) from trials where research_id = $1`,
    [id, nth],
  );

/** A run that has printed progress, and the worker that follows it now. */
async function followed(id: string): Promise<{ worker: TestWorker; trialId: string }> {
  const [run] = await stack.query<{ trial_id: string }>(
    `select trial_id from runs join trials on trials.id = trial_id
     where research_id = $1 and log_offset > 0 and runs.ended_at is null limit 1`,
    [id],
  );
  const trialId = run?.trial_id ?? '';
  const { raw } = await stack.client.workflow.getHandle(trialId).describe();
  const monitor = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'monitor');
  const identity = monitor?.lastWorkerIdentity ?? '';
  const worker = workers.find(({ process }) => identity.startsWith(`${process.pid}@`));
  if (!worker) throw new Error(`expected a worker of this test to follow ${trialId}, got ${identity || 'none'}`);
  return { worker, trialId };
}

describe('workers of some queues only', () => {
  test('score on the worker of the scoring queue, not on the one that follows runs', async () => {
    const follows = [QUEUES.main, QUEUES.trial, QUEUES.propose, QUEUES.fleet('local'), QUEUES.monitor].join(',');
    for (const queues of [follows, QUEUES.score]) workers.push(await stack.startWorker({ slots: 2, queues }));
    await beginHeld('split', { searches: 2 });
    release(stack, 'split');
    await untilStopped(stack, 'split');
    await expectUninterrupted(stack, 'split', 2);
    const trial = stack.client.workflow.getHandle(`split/1`);
    const { events } = await trial.fetchHistory();
    const activities = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(activities?.filter(Boolean)).toEqual(['launch', 'monitor', 'score']);
  });
});

describe('a worker that is gone', () => {
  test('loses no slot and shares none if it was one of three on four slots and is killed', async () => {
    await Promise.all([startWorker(4), startWorker(4), startWorker(4)]);
    await beginHeld('three', { searches: 7, window: 6 });
    await untilRunning(stack, 'three', 4);
    const { worker, trialId } = await followed('three');
    await worker.kill();
    release(stack, 'three');
    await untilStopped(stack, 'three');
    const trials = await expectUninterrupted(stack, 'three', 7);
    // Another worker now follows the run that the dead one followed.
    expect(trials.find(({ n }) => trialId === `three/${n}`)?.attempts).toBeGreaterThan(1);
    const used = await stack.query(
      `select distinct runs.slot_id from runs join trials on trials.id = trial_id where research_id = 'three'`,
    );
    expect(used).toHaveLength(4);
  });

  test('detaches when it is asked to stop, and the next one follows the same runs', async () => {
    const first = await startWorker();
    await beginHeld('relay', { searches: 1 });
    await untilFollowed('relay', 1);
    await first.stop();
    await expect.poll(() => runProcesses('relay').length).toBeGreaterThan(0);
    await startWorker();
    await untilFollowed('relay', 2);
    release(stack, 'relay');
    await untilStopped(stack, 'relay');
    await expectUninterrupted(stack, 'relay', 1);
  });
});

describe('a run whose machine loses it', () => {
  const killRun = async (trialId: string, placement: number): Promise<void> => {
    await stack.until(
      `placement ${placement} of ${trialId}`,
      `select launched_at is not null as done from runs where trial_id = $1 and placement = $2`,
      [trialId, placement],
    );
    const [installation = ''] = readdirSync(join(stack.home, 'runs'));
    const marker = join('runs', installation, runName({ jobId: trialId, placement }));
    const running = (): number[] => processesOf(stack.home, marker).map((line) => parseInt(line));
    // A lost machine also takes processes that these start meanwhile.
    await expect.poll(() => (signalAll(running()), running())).toEqual([]);
  };

  test('is placed once more; if it is lost again, its trial ends as lost and the research continues', async () => {
    await startWorker();
    await beginHeld('machine', { searches: 2, window: 1 });
    await killRun('machine/1', 0);
    releaseOneRun(stack, 'machine');
    await killRun('machine/2', 0);
    await killRun('machine/2', 1);
    release(stack, 'machine');
    await untilStopped(stack, 'machine');
    const trials = await trialsOf(stack, 'machine');
    expect(trials.map(({ status, failure, runs, placement }) => ({ status, failure, runs, placement }))).toEqual([
      { status: 'completed', failure: null, runs: 2, placement: 1 },
      { status: 'lost', failure: 'machine-lost', runs: 2, placement: 1 },
      { status: 'completed', failure: null, runs: 1, placement: 0 },
    ]);
    await expectNothingHeld(stack, 'machine');
  });
});
