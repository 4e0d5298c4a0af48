import { MockActivityEnvironment } from '@temporalio/testing';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { createReviewAgent, type Review } from '../../../../activities/propose/agent/review-agent.ts';
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

/** Stores the end of a placement of a trial's agent that changed nothing, and what became of its last call. */
async function endRun(
  trialId: string,
  placement: number,
  {
    text = 'const LR = 0.1;\n',
    ...last
  }: { error: string | null; status: number | null; model?: string; text?: string },
) {
  const content = Buffer.from(text);
  const jobId = proposalJobOf(trialId);
  const end = { reason: 'exit', exitCode: 1, signal: null, tooLarge: [], changed: [] };
  const of = { jobId, placement };
  await bench.db.insert(schema.runs).values({ ...of, host: 'h', slotId: 's', fence: 1, end, endedAt: new Date() });
  const blobHash = hashOf(content.toString());
  await bench.db.insert(schema.blobs).values({ hash: blobHash, content }).onConflictDoNothing();
  await bench.db.insert(schema.artefacts).values({ ...of, path: 'train.mjs', blobHash, size: content.length });
  const call = { trialId, turn: placement, protocol: 'messages', model: 'm', failed: 1, ...last } as const;
  const sentAt = new Date(Date.now() - 1000 + placement);
  await bench.db.insert(schema.calls).values({ ...call, sentAt });
}

/** Reviews the last placement; its host has nothing to clear. */
function review(trialId: string, placement: number): Promise<Review> {
  const compute = { kill: () => Promise.resolve(), remove: () => Promise.resolve() };
  const hosts = { computeOf: () => compute, isOwnHost: () => true };
  const deps = { store: bench.store, reach: () => undefined, hosts } as unknown as ActivityDeps;
  const input = { trialId, jobId: proposalJobOf(trialId), placement };
  return new MockActivityEnvironment().run(createReviewAgent(deps), input);
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

const CLOSED = { error: 'connect ECONNREFUSED', status: null };
const NO_CREDIT = { error: 'the endpoint answered 429: insufficient_quota', status: 429 };

test.each([
  ['that cannot be reached', CLOSED],
  ['without credit', NO_CREDIT],
])('an agent that an endpoint %s ended runs again, and the research names the endpoint', async (name, last) => {
  const trialId = await open(name);
  await propose(trialId);
  await endRun(trialId, 0, last);
  expect(await review(trialId, 0)).toBe('again');
  expect(await review(trialId, 0)).toBe('again');
  expect(await downOf(name)).toBe(`model endpoint: ${last.error}`);
  // Another trial's agent begins meanwhile.
  expect(await propose(trialId)).toMatchObject({ state: 'job' });
  expect(await downOf(name)).toBe(`model endpoint: ${last.error}`);
});

test.each([
  ['answered', { error: null, status: 200 }, 'running'],
  ['refused for what it is', { error: 'the endpoint answered 400: too long', status: 400 }, 'running'],
  ['that was not answered, while a person stops the research,', CLOSED, 'stopping'],
] as const)('a last call %s decides: the trial has no proposal', async (name, last, phase) => {
  const trialId = await open(name);
  await propose(trialId);
  await endRun(trialId, 0, last);
  await bench.db.update(schema.researches).set({ phase }).where(eq(schema.researches.id, name));
  expect(await review(trialId, 0)).toBe('over');
  expect(await downOf(name)).toBeNull();
  await bench.store.job.closeJob(proposalJobOf(trialId), { why: 'ended', detail: null });
  expect(await propose(trialId)).toMatchObject({ state: 'ended' });
  const { failureMessage } = await bench.store.trial.loadTrial(trialId);
  expect(failureMessage?.includes('ECONNREFUSED')).toBe(phase === 'stopping');
});

test('an agent that made no call when it ran again is over, whatever ended its run before', async () => {
  const trialId = await open('second');
  await propose(trialId);
  await endRun(trialId, 0, CLOSED);
  await endRun(trialId, 1, CLOSED);
  await bench.db.execute(sql`delete from calls where trial_id = ${trialId} and turn = 1`);
  expect(await review(trialId, 1)).toBe('over');
});

const GONE = { error: 'the endpoint answered 404: no such model', status: 404 };

test.each([
  ['named a model of its own, which is unknown', { ...GONE, model: 'none' }, 'over'],
  ['asked for the model of the task, which is unknown', GONE, 'again'],
  ['broke a file', { ...CLOSED, text: 'const LR = \0' }, 'over'],
] as const)('the last run of an agent that %s: %j is %s', async (name, last, review_) => {
  const trialId = await open(name);
  await propose(trialId);
  await endRun(trialId, 0, last);
  expect(await review(trialId, 0)).toBe(review_);
});

test('a trial ends with an alert once its endpoint answered during five outages; other outages end none', async () => {
  const trialId = await open('served');
  await storeTrials(bench.db, trialRow('served', 2));
  await propose(trialId);
  const began = Date.now() - 3_600_000;
  const at = (minutes: number) => new Date(began + 60_000 * minutes);
  await bench.db
    .update(schema.jobs)
    .set({ openedAt: at(0) })
    .where(eq(schema.jobs.id, proposalJobOf(trialId)));
  /** Reviews an outage, during which another trial's call has this end. */
  const outage = async (placement: number, other: object | null) => {
    await endRun(trialId, placement, { error: 'the endpoint answered 500', status: 500 });
    await bench.db
      .update(schema.runs)
      .set({ endedAt: at(placement + 1) })
      .where(eq(schema.runs.placement, placement));
    const call = { trialId: 'served/2', turn: placement, protocol: 'messages', model: 'm', status: 200 } as const;
    const sentAt = at(placement + 0.5);
    if (other) await bench.db.insert(schema.calls).values({ ...call, sentAt, answeredAt: sentAt, ...other });
    return review(trialId, placement);
  };
  const others = [null, { cut: true }, { model: 'another' }, { status: 0 }, { answeredAt: null }, {}, {}, {}, {}];
  for (const [placement, other] of others.entries()) expect(await outage(placement, other)).toBe('again');
  expect(await outage(others.length, {})).toBe('over');
  expect(await review(trialId, others.length)).toBe('over');
  expect(await bench.db.select().from(schema.alerts).where(eq(schema.alerts.researchId, 'served'))).toMatchObject([
    { message: expect.stringContaining('trial 1: its agent ended 5 times with an error of its endpoint') as string },
  ]);
});
