import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { settle } from '../../../../activities/outcome/settle.ts';
import { createProposeActivities } from '../../../../activities/propose.ts';
import * as schema from '../../../../db/schema.ts';
import { Task } from '../../../../domain/task/task.ts';
import { type AskRequest, OptimizerError } from '../../../../infra/optimizer.ts';
import { hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();
const KNOBS = [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 10], scale: 'log' }];
const task = Task.parse({ ...TASK, knobs: KNOBS, search: { proposer: 'cma-es' } });

let requests: AskRequest[] = [];
let answers: (number | Error)[] = [];
beforeEach(() => {
  requests = [];
});

const deps = (): ActivityDeps =>
  ({
    store: bench.store,
    machine: { sha256: hashOf },
    reach: () => undefined,
    optimizer: {
      ask: (request: AskRequest) => {
        requests.push(request);
        const next = answers.shift();
        return next instanceof Error ? Promise.reject(next) : Promise.resolve([next]);
      },
    },
  }) as unknown as ActivityDeps;

async function open(id: string): Promise<void> {
  await insertResearch(bench.db, id);
  const version = { name: 'toy', yaml: '', stageHash: 's', evaluatorHash: 'e', metricKey: 'm' };
  await bench.db
    .insert(schema.taskVersions)
    .values({ ...version, task, hash: 'cma', immutableHash: 'i', mutablePaths: ['train.mjs'] })
    .onConflictDoNothing();
  const { search, abort, keep } = task;
  await bench.db
    .update(schema.researches)
    .set({ taskHash: 'cma', proposer: 'cma-es', settings: { search, abort, keep } })
    .where(eq(schema.researches.id, id));
}

/** Admits a trial and proposes with that answer of the optimizer. */
async function propose(id: string, n: number, answer: number | Error) {
  answers = [answer];
  await storeTrials(bench.db, trialRow(id, n, { taskHash: 'cma' }));
  return repeat(id, n);
}

const repeat = (id: string, n: number) =>
  new MockActivityEnvironment().run(createProposeActivities(deps()).propose, { trialId: `${id}/${n}` });

const end = (id: string, n: number, value: number | null) =>
  settle(bench.store, {
    trialId: `${id}/${n}`,
    researchId: id,
    status: value === null ? 'crashed' : 'completed',
    value,
    metrics: {},
    evaluatorNotes: null,
    trusted: true,
    failure: value === null ? { label: 'exit-code', message: 'it failed' } : null,
  });

test('a request has the scores of all earlier proposals; failures and trials in flight are left out', async () => {
  await open('asks');
  await propose('asks', 1, 0.5);
  await end('asks', 1, 0.9);
  await propose('asks', 2, 2);
  await end('asks', 2, null);
  await propose('asks', 3, 3);
  await propose('asks', 4, 0.123456);
  await end('asks', 4, 0.7);
  await propose('asks', 5, 5);
  expect(requests.at(-1)).toMatchObject({
    knobs: [['float', 0.01, 10, 'log']],
    direction: 'minimize',
    population: 4,
    solutions: [
      [[0.5], 0.9],
      [[0.1235], 0.7],
    ],
  });
  const seeds = requests.map(({ seed }) => seed);
  expect(new Set(seeds).size).toBe(seeds.length);
});

test('a repeated call returns the stored proposal and asks nothing', async () => {
  await open('repeats');
  await propose('repeats', 1, 0.5);
  expect(await repeat('repeats', 1)).toEqual({ state: 'ready' });
  expect(requests).toHaveLength(1);
});

test('a known candidate ends as cached with its score, and eight in a row end the search', async () => {
  await open('converges');
  await propose('converges', 1, 0.5);
  await end('converges', 1, 0.9);
  for (let n = 2; n <= 9; n += 1)
    expect(await propose('converges', n, 0.5)).toMatchObject({ state: 'ended', ended: { status: 'cached' } });
  expect(requests.at(-1)?.solutions).toEqual(Array.from({ length: 8 }, () => [[0.5], 0.9]));
  expect(await propose('converges', 10, 0.5)).toMatchObject({ state: 'ended', ended: { status: 'rejected' } });
  const [row] = await bench.db.select().from(schema.trials).where(eq(schema.trials.id, 'converges/10'));
  expect(row).toMatchObject({
    failure: 'nothing-new',
    failureMessage: 'the last 8 proposals of cma-es were known candidates',
  });
});

test('an error of Optuna rejects the trial with its text; a dead process is retried', async () => {
  await open('fails');
  await propose('fails', 1, new OptimizerError('ValueError: no', 'refused'));
  const [row] = await bench.db.select().from(schema.trials).where(eq(schema.trials.id, 'fails/1'));
  expect(row).toMatchObject({ status: 'rejected', failureMessage: 'cma-es: ValueError: no' });
  const dead = new OptimizerError('the process of the optimizer ended with SIGKILL', 'down');
  await expect(propose('fails', 2, dead)).rejects.toMatchObject({ type: 'EndpointDown', nonRetryable: false });
  answers = [0.7];
  expect(await repeat('fails', 2)).toEqual({ state: 'ready' });
});
