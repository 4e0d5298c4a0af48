import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { settle } from '../../../../activities/outcome/settle.ts';
import type { ProposeContext } from '../../../../activities/propose/propose-context.ts';
import { storeProposal } from '../../../../activities/propose/store-proposal.ts';
import { overrideVerdict } from '../../../../activities/steer.ts';
import * as schema from '../../../../db/schema.ts';
import type { TaskVersion } from '../../../../db/task/task-version.ts';
import { openGate } from '../../../../domain/gate/gate.ts';
import type { GateConfig } from '../../../../domain/gate/types.ts';
import { mutableOnly } from '../../../../domain/edit/scope/edit-scope.ts';
import { settingsOf } from '../../../../domain/task/overrides.ts';
import { Task } from '../../../../domain/task/task.ts';
import { candidateContent } from '../../../../domain/trial/candidate.ts';
import { BASELINE, CONFIG, hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { outcomeOf } from '../../outcome/support/outcome-of.ts';

const bench = useDatabase();
const { researches, runs, trials } = schema;
const ENVIRONMENT = { python: '3.12', lock: 'requirements.lock' };
const CACHED = Task.parse({
  ...TASK,
  environment: ENVIRONMENT,
  search: { ...TASK.search, cache: true },
});
const NOISY: GateConfig = { ...CONFIG, policy: 'noise-gated' };

/** A scenario in which the second research may take the value that the first one measured. */
interface Scenario {
  /** Changes of the task as the second research sees it. */
  task?: unknown;
  /** Changes of the trial that measured the value, and of its run. */
  source?: Partial<typeof trials.$inferInsert>;
  sourceRun?: Partial<typeof runs.$inferInsert>;
  sourceId?: string;
  /** Changes of the second research, of its baseline's trials, of their runs, and of the proposing trial. */
  research?: Partial<typeof researches.$inferInsert>;
  gate?: Partial<GateConfig>;
  baseline?: Partial<typeof trials.$inferInsert>;
  baselineRun?: Partial<typeof runs.$inferInsert>;
  /** Changes of the last run of the baseline only. */
  lastRun?: Partial<typeof runs.$inferInsert>;
  trial?: Partial<typeof trials.$inferInsert>;
  /** Baseline runs that have ended. */
  measured?: number;
  value?: number;
  id?: string;
}

const RUN = { placement: 0, host: 'own', slotId: 's', fence: 1, hardware: 'CPU X, 4 cores', environment: 'env1' };
const END = { reason: 'exit', sandboxed: true };
let count = 0;

const insertRun = (jobId: string, more: Partial<typeof runs.$inferInsert> = {}) =>
  bench.db.insert(runs).values({ jobId, ...RUN, end: END, ...more });

/** Proposes a candidate of its own in two researches; returns the second research's trial, and the ids. */
async function propose(scenario: Scenario = {}) {
  count += 1;
  const { value = 3, measured = 3 } = scenario;
  const files = { 'train.mjs': `const LR = ${count};\n` };
  const candidateId = hashOf(candidateContent(files, 'i'));
  const [first, second] = [scenario.sourceId ?? `first ${count}`, scenario.id ?? `second ${count}`];
  await bench.store.trial.saveCandidate({ id: candidateId, immutableHash: 'i', files });
  await insertResearch(bench.db, first);
  const measuredAs = {
    candidateId,
    status: 'completed',
    value,
    trusted: true,
    runsBefore: 0,
    endedAt: new Date(),
  } as const;
  await storeTrials(bench.db, trialRow(first, 7, { ...measuredAs, ...scenario.source }));
  await insertRun(`${first}/7`, scenario.sourceRun);
  const config = { ...NOISY, ...scenario.gate };
  await insertResearch(bench.db, second, {
    gateConfig: config,
    gate: openGate(config, BASELINE).state,
    settings: settingsOf(CACHED),
    seedRoot: second,
    ...scenario.research,
  });
  for (let n = 1; n <= measured; n += 1) {
    await storeTrials(bench.db, trialRow(second, n, { kind: 'baseline', candidateId: BASELINE, ...scenario.baseline }));
    await insertRun(`${second}/${n}`, { ...scenario.baselineRun, ...(n === 3 ? scenario.lastRun : {}) });
    const trusted = scenario.baseline?.trusted ?? true;
    await settle(bench.store, outcomeOf(second, n, { value: 2 + n / 10, trusted }));
  }
  await storeTrials(bench.db, trialRow(second, 9, { parentId: BASELINE, arm: 'llm', ...scenario.trial }));
  const context = {
    deps: { store: bench.store, machine: { sha256: hashOf } } as unknown as ActivityDeps,
    trial: await bench.store.trial.loadTrial(`${second}/9`),
    version: {
      hash: 'task-1',
      task: Task.parse(scenario.task ?? CACHED),
      immutableHash: 'i',
      mutablePaths: ['train.mjs'],
    } as unknown as TaskVersion,
    scope: mutableOnly(['train.mjs']),
    files,
    signal: new AbortController().signal,
  } satisfies ProposeContext;
  const proposal = { files, hypothesis: 'again', expectedDelta: null, edits: [] };
  return {
    first,
    second,
    candidateId,
    trial: await storeProposal(context, proposal),
    again: () => storeProposal(context, proposal),
  };
}

test('a value that another research measured ends the trial, with its origin, and counts as one run', async () => {
  const { first, second, trial, again } = await propose({ source: { metrics: { size: 4 } } });
  expect(trial).toMatchObject({
    status: 'completed',
    value: 3,
    metrics: { size: 4 },
    reusedFrom: `${first}/7`,
    trusted: true,
    verdict: 'discard',
    reason: expect.stringMatching(`^value of ${first}/7, reused; expected gain over the lead -`),
    seconds: null,
    armReward: null,
  });
  expect(await again()).toEqual(trial);
  const research = await bench.store.research.findResearch(second);
  expect(research).toMatchObject({ refunded: {}, slotSeconds: 0, gate: { noise: { df: 2 }, searched: 1, claims: 0 } });
  const observed = await bench.db.select().from(schema.observations).where(eq(schema.observations.researchId, second));
  expect(observed).toContainEqual(expect.objectContaining({ candidateId: trial.candidateId, value: 3, runs: 1 }));
});

test('a promising value leads to runs here before anything is claimed, and a person cannot claim it', async () => {
  const { second, trial } = await propose({ value: -30 });
  expect(trial).toMatchObject({ status: 'completed', value: -30, verdict: 'confirm' });
  const { gate } = (await bench.store.research.findResearch(second)) ?? {};
  expect(gate).toMatchObject({ incumbentId: BASELINE, claims: 0, rawBest: null, leadId: trial.candidateId });
  const keep = { researchId: second, n: 9, verdict: 'keep', reason: 'good' } as const;
  expect(await overrideVerdict(bench.store, keep)).toMatch(/expected a trial that ran in this research/);
});

test('the first of several values is taken, not the best', async () => {
  const { first, candidateId } = await propose();
  await insertResearch(bench.db, 'later');
  const row = { candidateId, status: 'completed', value: 2.9, trusted: true, endedAt: new Date() } as const;
  await storeTrials(bench.db, trialRow('later', 1, row));
  await insertRun('later/1');
  const key = { candidateId, taskHash: 'task-1', hardware: RUN.hardware, environment: RUN.environment };
  expect(await bench.store.trial.findReusable({ researchId: 'x', ...key })).toMatchObject({ trialId: `${first}/7` });
});

const withTask = (more: object) => ({ task: { ...CACHED, ...more } });
const { environment: _environment, ...withoutEnvironment } = CACHED;

describe('nothing is taken', () => {
  test.each<[string, Scenario]>([
    ['without search.cache', withTask({ search: TASK.search })],
    ['by a task without an environment', { task: withoutEnvironment }],
    ['by a research with a seed root', { research: { seedRoot: 'paired' } }],
    ['by a check', { id: 'check/toy/1' }],
    ['by an evaluation', { gate: { measuresOnly: true } }],
    ['by a sample of an evaluation', { trial: { kind: 'evaluation' } }],
    ['by an injected trial', { trial: { kind: 'injected' } }],
    ['before the baseline is measured', { measured: 2 }],
    ['by a mean over seeds', { gate: { policy: 'strict', repeats: 2 } }],
    ['as a claim of keep.policy strict', { gate: { policy: 'strict' }, value: 1 }],
    ['if the hardware of this research is unknown', { baselineRun: { hardware: null } }],
    ['if this research ran on several kinds of hardware', { lastRun: { hardware: 'CPU Y, 4 cores' } }],
    ['if a run of this research was untrusted', { baseline: { trusted: false } }],
    ['of an infinite value', { value: Infinity }],
  ])('%s', async (_name, scenario) => {
    const { trial } = await propose(scenario);
    expect(trial).toMatchObject({ status: null, reusedFrom: null, value: null });
  });

  test('of another version of the task, or by a trial of an earlier one', async () => {
    const [version] = await bench.db.select().from(schema.taskVersions).where(eq(schema.taskVersions.hash, 'task-1'));
    await bench.db.insert(schema.taskVersions).values({ ...version!, hash: 'task-2' });
    expect((await propose({ source: { taskHash: 'task-2' } })).trial.status).toBeNull();
    expect((await propose({ trial: { taskHash: 'task-2' } })).trial.status).toBeNull();
    expect((await propose({ research: { taskHash: 'task-2' } })).trial.status).toBeNull();
  });

  test('for a candidate that ran in this research, even if that run was lost', async () => {
    const known = await propose({ sourceRun: { hardware: null } });
    await bench.db
      .update(runs)
      .set({ hardware: RUN.hardware })
      .where(eq(runs.jobId, `${known.first}/7`));
    await storeTrials(bench.db, trialRow(known.second, 10, { parentId: BASELINE }));
    await settle(bench.store, outcomeOf(known.second, 9, { value: 2.5 }));
    const copy = { ...(await bench.store.trial.loadTrial(`${known.second}/10`)) };
    expect(await bench.store.trial.findOtherRuns({ ...copy, candidateId: known.candidateId })).toHaveLength(1);
    expect((await known.again()).reusedFrom).toBeNull();
  });
});
