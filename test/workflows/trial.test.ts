import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Review } from '../../activities/propose/agent/review-agent.ts';
import type { PreflightResult } from '../../activities/preflight.ts';
import type { ProposeInput, ProposeResult } from '../../activities/propose.ts';
import type { LaunchInput } from '../../activities/launch/launch-input.ts';
import type { LaunchResult, StartResult } from '../../activities/launch/launch-result.ts';
import { QUEUES } from '../../domain/messages/names.ts';
import type { TrialEnded } from '../../domain/trial.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

const POOL = 'box';
/** A pool without a worker until a test starts one. */
const BUSY = 'busy';
const HOST = { host: 'a' };
const LACKS_SETUP: LaunchResult = { state: 'prepare', ...HOST };
const TIMES = { slotWaitSeconds: null, readyWaitSeconds: null, proposeSeconds: null, slotSeconds: null };
const ENDED: TrialEnded = { n: 1, status: 'completed', verdict: 'none', researchRun: null, ...TIMES };

/** Activities of a trial in the order of their calls. */
let calls: string[] = [];
/** Results of `launch`, by the number of the call, and of `start`, in the order of the calls. */
let launched: (nth: number) => LaunchResult = () => LACKS_SETUP;
let starts: StartResult[] = [];
/** Result of `monitor`, by the number of the call; undefined: scored. `HostGone` and `HostLost`: of `score`. */
let followed: (nth: number) => 'lost' | 'gone' | 'contended' | 'HostGone' | 'HostLost' | undefined = () => undefined;
/** Results of `propose`, `reviewAgent` and `preflight`, in the order of the calls. */
let proposed: ProposeResult[] = [];
let reviewed: Review[] = [];
let preflighted: PreflightResult[] = [];
const numberOf = (name: string): number => calls.filter((call) => call === name).length;
const note = <T>(name: string, result: T): T => {
  calls.push(name);
  return result;
};
const activities = {
  // A proposer that needs its queue, as a mixture may choose one.
  propose: async ({ atOnce = false }: ProposeInput): Promise<ProposeResult> =>
    atOnce ? note('propose at once', { state: 'queued' }) : note('propose', proposed.shift() ?? { state: 'ready' }),
  reviewAgent: async () => note('reviewAgent', reviewed.shift() ?? 'over'),
  preflight: async () => note('preflight', preflighted.shift() ?? { state: 'ready' }),
  endJob: async () => note('endJob', {}),
  resume: async () => note('resume', { state: 'unleased', placement: 0 }),
  launch: async () => note('launch', launched(calls.filter((name) => name === 'launch').length)),
  prepare: async () => note('prepare', LACKS_SETUP),
  start: async ({ setups }: LaunchInput) =>
    note(`start after ${setups}`, starts.shift() ?? { state: 'running', ...HOST }),
  monitor: async ({ jobId }: { jobId: string }) => {
    const state = followed(numberOf('monitor'));
    if (jobId !== proposalJob && state === undefined) return note('monitor', { state: 'scored', ended: ENDED });
    if (jobId === proposalJob) return note('monitor', { state: 'ended' });
    return note('monitor', { state: state === 'HostGone' || state === 'HostLost' ? 'ended' : state });
  },
  score: async () => {
    note('score', null);
    throw ApplicationFailure.nonRetryable('the host is gone', followed(numberOf('monitor') - 1));
  },
  abandon: async ({ why, detail }: { why: string; detail?: string }) =>
    note(`abandon: ${why}, ${detail}`, { ...ENDED, status: 'lost' }),
};

const proposalJob = 'proposal/outage/agent';

let stack: TestStack;
let connection: NativeConnection;
let stop: (() => Promise<void>) | undefined;

const start = (id: string, { kind = 'baseline', pool = POOL, proposesAtOnce = false, researchId = 'nobody' } = {}) => {
  const trial = { trialId: id, n: 1, kind, candidateId: 'c', ofTrial: null, seed: 1 };
  const input = { ...trial, taskHash: 't', pool, researchId, taskName: 't', tempo: 1, proposesAtOnce };
  return stack.client.workflow.start('trial', { taskQueue: QUEUES.trial, workflowId: id, args: [input] });
};

/** Runs a trial and returns its outcome and the activities that it called. */
async function run(id: string, more = {}): Promise<{ status: string; calls: string[] }> {
  calls = [];
  const { status } = (await (await start(id, more)).result()) as TrialEnded;
  return { status, calls };
}

beforeAll(async () => {
  stack = await startTestStack();
  connection = await NativeConnection.connect({ address: stack.temporalAddress });
  const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const interceptors = { workflowModules: [at('interceptors/no-timers.ts')] };
  const workflowsPath = at('../../workflows/trial.ts');
  const queues = [QUEUES.main, QUEUES.monitor, QUEUES.propose, QUEUES.score, QUEUES.fleet(POOL)];
  const workers = await Promise.all([
    Worker.create({ connection, taskQueue: QUEUES.trial, workflowsPath, interceptors, activities }),
    ...queues.map((taskQueue) => Worker.create({ connection, taskQueue, activities })),
  ]);
  const running = workers.map((worker) => worker.run());
  stop = async () => {
    workers.forEach((worker) => worker.shutdown());
    await Promise.all(running);
  };
});
afterAll(async () => {
  await stop?.();
  await connection.close();
  await stack.stop();
});

test('a trial that tries its proposal at once leaves it to the queue if its proposer takes longer', async () => {
  launched = () => ({ state: 'running', ...HOST });
  expect(await run('turns', { kind: 'search', proposesAtOnce: true })).toEqual({
    status: 'completed',
    calls: ['propose at once', 'propose', 'launch', 'monitor'],
  });
});

test('proposals pass the checks before a run, and so does the unmodified version in perpetua check', async () => {
  launched = () => ({ state: 'running', ...HOST });
  proposed = [{ state: 'ready', preflight: true }];
  expect((await run('checked', { kind: 'search' })).calls).toEqual(['propose', 'preflight', 'launch', 'monitor']);
  preflighted = [{ state: 'ended', ended: { ...ENDED, status: 'rejected' } }];
  expect(await run('original', { researchId: 'check/toy/1' })).toEqual({ status: 'rejected', calls: ['preflight'] });
});

test('a trial whose agent found no endpoint runs the agent again after a pause, and closes its job once', async () => {
  launched = () => ({ state: 'running', ...HOST });
  proposed = [{ state: 'job', jobId: proposalJob, pool: POOL }];
  reviewed = ['again', 'again', 'again', 'over'];
  const agent = ['launch', 'monitor', 'reviewAgent', 'reviewAgent'];
  expect(await run('outage', { kind: 'search' })).toEqual({
    status: 'completed',
    calls: ['propose', 'resume', ...agent, ...agent, 'endJob', 'propose', 'launch', 'monitor'],
  });
});

describe('a trial whose host lacks the setup', () => {
  /** Runs a trial whose calls of `start` get these answers. */
  const runWith = (id: string, answers: ('prepare' | 'running')[]) => {
    launched = () => LACKS_SETUP;
    starts = answers.map((state) => ({ state, ...HOST }));
    return run(id);
  };

  test('starts after the setup', async () => {
    expect(await runWith('once', ['running'])).toEqual({
      status: 'completed',
      calls: ['launch', 'prepare', 'start after 1', 'monitor'],
    });
  });

  test('is set up once more if somebody cleared the host before the start', async () => {
    expect(await runWith('again', ['prepare', 'running'])).toEqual({
      status: 'completed',
      calls: ['launch', 'prepare', 'start after 1', 'prepare', 'start after 2', 'monitor'],
    });
  });

  test('goes to another host if the third start finds its setup gone again', async () => {
    starts = [LACKS_SETUP, LACKS_SETUP, { state: 'elsewhere', host: 'a' }];
    expect(await run('kept')).toEqual({
      status: 'completed',
      calls: [
        'launch',
        'prepare',
        'start after 1',
        'prepare',
        'start after 2',
        'prepare',
        'start after 3',
        'launch',
        'prepare',
        'start after 1',
        'monitor',
      ],
    });
  });
});

describe('a trial whose hosts', () => {
  /** The answer of a host that refuses the task. `hosts`: number of hosts that serve the pool. */
  const refusal = (host: string, hosts: number): LaunchResult => {
    const detail = `host ${host}: no compiler`;
    return { state: 'elsewhere', host, refusal: { why: 'setup-failed', detail, hosts } };
  };

  test('fail under it is lost after twenty hosts, with the message of the last host', async () => {
    launched = (nth) => ({ state: 'elsewhere', host: `h${nth}`, detail: `host h${nth} kept no setup` });
    expect(await run('moved')).toEqual({
      status: 'lost',
      calls: [...Array<string>(20).fill('launch'), 'abandon: machine-lost, host h19 kept no setup'],
    });
  });

  test('fail under it or refuse it does not end by the sum of both', async () => {
    const hosts = ['a', 'b'];
    launched = (nth) => {
      if (nth < 19) return { state: 'elsewhere', host: 'c' };
      return nth < 21 ? refusal(hosts[nth - 19] ?? '', 9) : LACKS_SETUP;
    };
    expect((await run('mixed')).calls).toEqual([
      ...Array<string>(22).fill('launch'),
      'prepare',
      'start after 1',
      'monitor',
    ]);
  });

  test.each([
    ['three hosts have', ['a', 'a', 'b', 'c'], 9],
    ['all hosts have', ['a', 'b', 'a'], 2],
    ['the only host has three times', ['a', 'a', 'a'], 1],
  ])('refuse it ends with their reason once %s', async (which, hosts, serving) => {
    launched = (nth) => refusal(hosts[nth] ?? 'too many', serving);
    expect(await run(`refused: ${which}`)).toEqual({
      status: 'lost',
      calls: [...hosts.map(() => 'launch'), `abandon: setup-failed, host ${hosts.at(-1)}: no compiler`],
    });
  });

  test('refuse it ends with their reason after a hundred refusals by one host while the others are busy', async () => {
    launched = () => refusal('a', 9);
    expect(await run('refused by one')).toEqual({
      status: 'lost',
      calls: [...Array<string>(100).fill('launch'), 'abandon: setup-failed, host a: no compiler'],
    });
  });
});

describe('a trial whose runs', () => {
  /** Runs a trial whose runs end so, and then well. */
  const runWith = (id: string, losses: ReturnType<typeof followed>[]) => {
    launched = () => ({ state: 'running', ...HOST });
    followed = (nth) => losses[nth];
    return run(id).finally(() => (followed = () => undefined));
  };
  const placed = (times: number): string[] => Array.from({ length: times }, () => ['launch', 'monitor']).flat();

  test('are lost with machines that are gone is placed again, and given up after twenty', async () => {
    expect(await runWith('gone', Array<'gone'>(19).fill('gone'))).toEqual({ status: 'completed', calls: placed(20) });
    expect(await runWith('gone for ever', Array<'gone'>(20).fill('gone'))).toEqual({
      status: 'lost',
      calls: [...placed(20), 'abandon: machine-lost, its last host is gone, after 20 moves'],
    });
  });

  test('are lost twice by machines that answer is given up, however often machines were gone before', async () => {
    expect(await runWith('lost', ['gone', 'lost', 'gone', 'gone', 'lost'])).toEqual({
      status: 'lost',
      calls: [...placed(5), 'abandon: machine-lost, undefined'],
    });
  });

  test('are contended is placed again, and given up after the third', async () => {
    expect(await runWith('contended', ['contended', 'lost', 'contended'])).toMatchObject({ status: 'completed' });
    expect(await runWith('contended thrice', ['contended', 'contended', 'contended'])).toEqual({
      status: 'lost',
      calls: [...placed(3), 'abandon: contended, undefined'],
    });
  });

  test('are lost before they are scored counts them by whether their machine is gone', async () => {
    expect(await runWith('unscored', ['HostGone', 'HostLost', 'HostGone'])).toMatchObject({ status: 'completed' });
    expect(await runWith('unscored twice', ['HostLost', 'HostLost'])).toMatchObject({ status: 'lost' });
  });
});

test('the proposal of a person is launched before searches that have waited longer', async () => {
  const order: string[] = [];
  const launch = async ({ jobId }: { jobId: string }): Promise<LaunchResult> => {
    order.push(jobId);
    return { state: 'running', ...HOST };
  };
  const taskQueue = QUEUES.fleet(BUSY);
  const trials: WorkflowHandle[] = [];
  for (const [index, kind] of ['search', 'search', 'search', 'injected'].entries()) {
    const trial = await start(`${kind}-${index}`, { kind, pool: BUSY });
    await expect.poll(() => isLaunching(trial)).toBe(true);
    trials.push(trial);
  }
  await expect.poll(() => backlogOf(taskQueue)).toBe(trials.length);
  const limits = { maxConcurrentActivityTaskExecutions: 1, maxConcurrentActivityTaskPolls: 1 };
  const lender = await Worker.create({ connection, taskQueue, activities: { launch }, ...limits });
  await lender.runUntil(Promise.all(trials.map((trial) => trial.result())));
  expect(order).toEqual(['injected-3', 'search-0', 'search-1', 'search-2']);
});

async function isLaunching(trial: WorkflowHandle): Promise<boolean> {
  const { pendingActivities } = (await trial.describe()).raw;
  return pendingActivities?.some(({ activityType }) => activityType?.name === 'launch') ?? false;
}

/** Activities that wait in a queue's backlog. */
async function backlogOf(queue: string): Promise<number> {
  const { stats } = await stack.client.workflowService.describeTaskQueue({
    namespace: 'default',
    taskQueue: { name: queue },
    reportStats: true,
    // 2: activities.
    taskQueueType: 2,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}
