import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { createReviewAgent } from '../../../../activities/propose/agent/review-agent.ts';
import { createProposeActivities, type ProposeInput, type ProposeResult } from '../../../../activities/propose.ts';
import * as schema from '../../../../db/schema.ts';
import { readArmViews } from '../../../../db/reads/read-arm-views.ts';
import { proposalJobOf } from '../../../../domain/agent/proposal-job.ts';
import { Task } from '../../../../domain/task/task.ts';
import { describeArms } from '../../../../view/rows/arms.ts';
import { admitTrials } from '../../../support/database/admit-trials.ts';
import { hashOf, insertResearch, TASK } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();
const AGENT = { name: 'command', agent: 'pi' };
const task = Task.parse({ ...TASK, knobs: [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 10] }] });

beforeAll(async () => {
  await insertResearch(bench.db, 'first');
  await bench.db.update(schema.taskVersions).set({ task }).where(eq(schema.taskVersions.hash, 'task-1'));
});

/** Opens a research whose first trial is the agent's turn, and its second the same. Returns their ids. */
async function open(id: string, arms: object[] = [{ proposer: AGENT, trials: 9 }, { proposer: 'random' }]) {
  const proposer = { name: 'mix', arms } as unknown as typeof task.search.proposer;
  const { search, abort, keep } = task;
  const settings = { search: { ...search, proposer }, abort, keep };
  await insertResearch(bench.db, id, { proposer: 'mix', settings });
  await admitTrials(bench.store, { researchId: id, key: 'k', room: 2, activeSeconds: 0, proposals: true });
  return [`${id}/1`, `${id}/2`] as const;
}

const RECIPE = { recipe: { protocol: 'chat', command: 'pi', readable: [], env: {}, files: {} }, folder: '/pi' };

/** The third attempt of a proposal, by a worker that has the agent, or lacks it. */
function propose(trialId: string, found: object = { missing: 'expected pi in /cache, found none' }) {
  const deps = {
    store: bench.store,
    machine: { sha256: hashOf },
    reach: () => undefined,
    agents: { find: () => found },
    gateway: { lacks: () => null },
    models: { llmModel: 'm' },
    pools: { hardware: () => Promise.resolve(null), programs: () => Promise.resolve([]) },
  };
  const activity = createProposeActivities(deps as unknown as ActivityDeps).propose;
  return new MockActivityEnvironment({ attempt: 3 }).run<[ProposeInput], ProposeResult, typeof activity>(activity, {
    trialId,
  });
}

const armsOf = async (id: string) => describeArms(await readArmViews(bench.db, { researchId: id }));
const downOf = async (id: string) => (await bench.store.research.findResearch(id))?.endpointDown;

test('a mixture skips the arm of an agent that the worker lacks, for all trials, and the status says so', async () => {
  const [one, two] = await open('lacks');
  expect(await propose(one)).toEqual({ state: 'ready' });
  expect(await propose(two)).toEqual({ state: 'ready' });
  const [first, second] = [await bench.store.trial.loadTrial(one), await bench.store.trial.loadTrial(two)];
  expect([first.proposer, second.proposer]).toEqual(['random', 'random']);
  expect(first.proposerReason).toMatch(/^in place of .*pi.*, which was skipped: agent: expected pi in \/cache/);
  expect(await armsOf('lacks')).toContain('not chosen: agent: expected pi in /cache, found none');
  expect(await downOf('lacks')).toBeNull();
});

test('a mixture of agents alone waits for one of them', async () => {
  const [one] = await open('alone', [{ proposer: AGENT }]);
  await expect(propose(one)).rejects.toMatchObject({ type: 'EndpointDown' });
  expect(await downOf('alone')).toBe('agent: expected pi in /cache, found none');
});

test('a mixture gives the trial to another arm if the endpoint of its agent was down', async () => {
  const [one] = await open('outage');
  const jobId = proposalJobOf(one);
  expect(await propose(one, { ...RECIPE, readable: [] })).toEqual({ state: 'job', jobId, pool: 'agents' });
  const content = Buffer.from('const LR = 0.1;\n');
  const end = { reason: 'exit', exitCode: 1, signal: null, tooLarge: [], changed: [] };
  const run = { jobId, placement: 0 };
  await bench.db.insert(schema.runs).values({ ...run, host: 'h', slotId: 's', fence: 1, end, endedAt: new Date() });
  const blobHash = hashOf(content.toString());
  await bench.db.insert(schema.blobs).values({ hash: blobHash, content }).onConflictDoNothing();
  await bench.db.insert(schema.artefacts).values({ ...run, path: 'train.mjs', blobHash, size: content.length });
  const call = { trialId: one, turn: 0, protocol: 'chat', model: 'm', failed: 1, error: 'refused' } as const;
  await bench.db.insert(schema.calls).values(call);
  const review = createReviewAgent({ store: bench.store } as unknown as ActivityDeps);
  expect(await new MockActivityEnvironment().run(review, { trialId: one, ...run })).toBe('over');
  await bench.store.job.closeJob(jobId, { why: 'ended', detail: null });
  expect(await propose(one, { ...RECIPE, readable: [] })).toEqual({ state: 'ready' });
  expect(await bench.store.trial.loadTrial(one)).toMatchObject({ proposer: 'random' });
  expect(await armsOf('outage')).toContain('not chosen: model endpoint: refused');
});
