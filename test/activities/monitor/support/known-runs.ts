import { eq } from 'drizzle-orm';
import type { Db } from '../../../../db/connect.ts';
import { points, researches, runs, taskVersions } from '../../../../db/schema.ts';
import { advance } from '../../../../domain/gate/gate.ts';
import type { GateConfig, GateState } from '../../../../domain/gate/types.ts';
import { Task, type TaskInput } from '../../../../domain/task/task.ts';
import type { TrialKind } from '../../../../domain/trial.ts';
import { BASELINE, insertResearch, trialRow, storeTrials } from '../../../cli/support/lineage.ts';
import { fallingTo, STEPS } from '../../../domain/abort/support.ts';

/** Seconds of wall clock of a run's budget, and of one of its {@link STEPS}. */
export const SECONDS = 60;
export const STEP_SECONDS = SECONDS / STEPS;
/** Runs that a rule can compare with, as many as are needed and some more; the best ends at 1. */
const KNOWN = 24;

type Progress = TaskInput['progress'];
type Budget = TaskInput['run']['budget'];

/** Inserts a research of its own task version, with ended runs whose curves the rule knows. No run is audited. */
export async function insertKnownRuns(
  db: Db,
  id: string,
  how: {
    steps?: number;
    shares?: boolean;
    budget?: Partial<Budget>;
    timeoutSeconds?: number;
    known?: number;
    /** Pattern and rules for the progress lines, without the number of steps. */
    progress?: Progress;
    artefacts?: string[];
    evaluator?: TaskInput['evaluator'];
  } = {},
): Promise<void> {
  const { steps, shares = false, known = KNOWN, artefacts = [] } = how;
  const pattern = `^step (?<step>\\d+) loss (?<value>\\S+)${shares ? ' share (?<share>\\S+)' : ''}`;
  const progress: Progress = { ...(how.progress ?? { pattern }), ...(steps ? { steps } : {}) };
  const task = Task.parse({
    name: id,
    description: 'falling curves',
    mutable: ['train.mjs'],
    run: {
      command: 'node train.mjs',
      budget: { seconds: SECONDS, kind: 'wall', ...how.budget },
      ...(how.timeoutSeconds ? { timeoutSeconds: how.timeoutSeconds } : {}),
      artefacts: artefacts.map((path) => ({ path })),
    },
    metric: { name: 'loss', direction: 'minimize' },
    progress,
    evaluator: how.evaluator ?? { type: 'artefact', command: 'node evaluate.mjs' },
    abort: { audit: { first: 0, share: 0 } },
  });
  const version = { name: id, task, yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', metricKey: 'm' };
  await db.insert(taskVersions).values({ ...version, hash: id, mutablePaths: ['train.mjs'] });
  let gate = await insertResearch(db, id, { taskHash: id, lastN: known });
  const [research] = await db.select({ config: researches.gateConfig }).from(researches).where(eq(researches.id, id));
  for (let n = 1; n <= known; n += 1) {
    const value = 1 + (n - 1) / known;
    await insertEnded(db, { id, n, value });
    gate = afterBaseline(research?.config, gate, { n, value });
  }
  await db.update(researches).set({ gate }).where(eq(researches.id, id));
}

async function insertEnded(db: Db, { id, n, value }: { id: string; n: number; value: number }): Promise<void> {
  const jobId = `${id}/${n}`;
  const ended = { status: 'completed' as const, value, endedAt: new Date(n * 1000) };
  await storeTrials(db, trialRow(id, n, { kind: 'search', candidateId: BASELINE, taskHash: id, ...ended }));
  await db.insert(runs).values({ jobId, placement: 0, host: 'fake', slotId: 'fake/0', fence: 1 });
  const curve = fallingTo(value, { noise: 0.01, seed: n });
  await db
    .insert(points)
    .values(curve.map((point, seq) => ({ ...point, ...timesOf(point), jobId, placement: 0, seq })));
}

function afterBaseline(config: GateConfig | undefined, gate: GateState, run: { n: number; value: number }): GateState {
  if (!config) throw new Error('expected the research that was just inserted');
  const baseline = { kind: 'baseline' as const, candidateId: BASELINE, parentId: null, ofTrial: null, seed: run.n };
  return advance(config, gate, { ...baseline, ...run }).state;
}

/** Inserts a run under way that was launched so many seconds ago, and returns its key. */
export async function insertLaunched(
  db: Db,
  id: string,
  run: { kind: TrialKind; n?: number; ago?: number } & Partial<typeof runs.$inferInsert>,
): Promise<{ jobId: string; placement: number }> {
  const { kind, n = 100, ago = 0, ...more } = run;
  const key = { jobId: `${id}/${n}`, placement: 0 };
  await storeTrials(db, trialRow(id, n, { kind, candidateId: BASELINE, taskHash: id }));
  const launchedAt = new Date(Date.now() - ago * 1000);
  await db.insert(runs).values({ ...key, host: 'fake', slotId: 'fake/0', fence: 1, launchedAt, ...more });
  return key;
}

/** The times of a step: seconds after the launch, and share of the budget. */
export const timesOf = ({ step }: { step: number }) => ({ elapsed: step * STEP_SECONDS, share: step / STEPS });

/** The lines of a run that ends at `final`, from step `first` to step `last`. */
export const linesOf = (final: number, first: number, last: number): string[] =>
  fallingTo(final)
    .slice(first - 1, last)
    .map(({ step, value }) => `step ${step} loss ${value} share ${step / STEPS}`);
