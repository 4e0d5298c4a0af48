import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { createProposeActivities, type ProposeResult } from '../../../../activities/propose.ts';
import * as schema from '../../../../db/schema.ts';
import { proposalJobOf } from '../../../../domain/agent/proposal-job.ts';
import { Task } from '../../../../domain/task/task.ts';
import { hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();
const agent = { protocol: 'messages', command: 'my-agent' };
const task = Task.parse({ ...TASK, search: { proposer: { name: 'command', agent } } });

/** Inserts a research with an agent as proposer, and its first trial. Returns the trial's id. */
async function open(id: string): Promise<string> {
  await insertResearch(bench.db, id);
  const { search, abort, keep } = task;
  const settings = { search, abort, keep };
  await bench.db.update(schema.researches).set({ proposer: 'command', settings }).where(eq(schema.researches.id, id));
  await storeTrials(bench.db, trialRow(id, 1));
  return `${id}/1`;
}

/** The third attempt of a proposal, by a worker that lacks this. */
function propose(trialId: string, lacks: string | null = null): Promise<ProposeResult> {
  const deps = {
    store: bench.store,
    machine: { sha256: hashOf },
    reach: () => undefined,
    gateway: { lacks: () => lacks },
    models: { llmModel: 'm' },
    pools: { hardware: () => Promise.resolve(null), programs: () => Promise.resolve([]) },
  };
  const activity = createProposeActivities(deps as unknown as ActivityDeps).propose;
  return new MockActivityEnvironment({ attempt: 3 }).run(activity, { trialId });
}

const downOf = async (id: string) => (await bench.store.research.findResearch(id))?.endpointDown;

test('a research waits while no endpoint speaks the protocol of its agent, and goes on once one does', async () => {
  const trialId = await open('returns');
  await expect(propose(trialId, 'set ANTHROPIC_API_KEY')).rejects.toMatchObject({ type: 'EndpointDown' });
  expect(await downOf('returns')).toBe('agent: set ANTHROPIC_API_KEY');
  const opened = { state: 'job', jobId: proposalJobOf(trialId), pool: 'agents' };
  expect(await propose(trialId)).toEqual(opened);
  expect(await downOf('returns')).toBeNull();
  expect(await propose(trialId, 'what it lacks later')).toEqual(opened);
});

test('a job that was closed without a run is no proposal, and says why', async () => {
  const trialId = await open('closed');
  await propose(trialId);
  await bench.store.job.closeJob(proposalJobOf(trialId), { why: 'machine-lost', detail: 'two losses' });
  expect(await propose(trialId)).toMatchObject({ state: 'ended' });
  expect(await bench.store.trial.loadTrial(trialId)).toMatchObject({
    status: 'rejected',
    failure: 'proposer-failed',
    failureMessage: 'the agent did not run to an end: two losses',
  });
});
