import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StartResult } from '../../activities/launch.ts';
import { QUEUES } from '../../domain/names.ts';
import type { TrialEnded } from '../../domain/trial.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

const POOL = 'box';
const HOST = { host: 'a' };
const ENDED: TrialEnded = {
  ...{ n: 1, status: 'completed', verdict: 'none', researchRun: null },
  ...{ slotWaitSeconds: null, readyWaitSeconds: null, proposeSeconds: null, slotSeconds: null },
};

/** What the activities of a trial are asked, in order, and what `start` answers, one after the other. */
let asked: string[] = [];
let starts: StartResult[] = [];
const note = <T>(name: string, answer: T): T => {
  asked.push(name);
  return answer;
};
const activities = {
  launch: async () => note('launch', { state: 'prepare', ...HOST }),
  prepare: async () => note('prepare', { state: 'prepare', ...HOST }),
  start: async () => note('start', starts.shift() ?? { state: 'running', ...HOST }),
  monitor: async () => note('monitor', { state: 'scored', ended: ENDED }),
  abandon: async ({ why, detail }: { why: string; detail?: string }) =>
    note(`abandon: ${why}, ${detail}`, { ...ENDED, status: 'lost' }),
};

let stack: TestStack;
let connection: NativeConnection;
let stop: (() => Promise<void>) | undefined;

/** Runs a trial whose host lacks the task's setup; its `start` answers so. */
async function run(id: string, answers: StartResult['state'][]): Promise<{ status: string; asked: string[] }> {
  asked = [];
  starts = answers.map((state) => (state === 'unleased' ? { state } : { state, ...HOST }));
  const trial = { ...{ trialId: id, n: 1, kind: 'baseline', candidateId: 'c', ofTrial: null }, seed: 1 };
  const input = { ...trial, taskHash: 't', pool: POOL, researchId: 'nobody', taskName: 't', tempo: 1 };
  const ended = (await stack.client.workflow.execute('trial', {
    taskQueue: QUEUES.trial,
    workflowId: id,
    args: [input],
  })) as TrialEnded;
  return { status: ended.status, asked };
}

describe('a trial whose host lacks the setup', () => {
  beforeAll(async () => {
    stack = await startTestStack();
    connection = await NativeConnection.connect({ address: stack.temporalAddress });
    const at = (name: string): string => fileURLToPath(new URL(`../../workflows/${name}.ts`, import.meta.url));
    const workflowsPath = at('trial');
    const queues = [QUEUES.main, QUEUES.monitor, QUEUES.fleet(POOL)];
    const workers = await Promise.all([
      Worker.create({ connection, taskQueue: QUEUES.trial, workflowsPath }),
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

  test('starts after it', async () => {
    expect(await run('once', ['running'])).toEqual({
      status: 'completed',
      asked: ['launch', 'prepare', 'start', 'monitor'],
    });
  });

  test('is set up once more where somebody cleared the host before the start', async () => {
    expect(await run('again', ['prepare', 'running'])).toEqual({
      status: 'completed',
      asked: ['launch', 'prepare', 'start', 'prepare', 'start', 'monitor'],
    });
  });

  test('ends with that reason where it is cleared each time, and is not followed', async () => {
    expect(await run('thrice', ['prepare', 'prepare', 'prepare'])).toEqual({
      status: 'lost',
      asked: [
        'launch',
        ...['prepare', 'start', 'prepare', 'start', 'prepare', 'start'],
        'abandon: failed, host a lost what the setup had made 3 times',
      ],
    });
  });
});
