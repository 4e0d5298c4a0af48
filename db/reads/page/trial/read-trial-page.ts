import { sql } from 'drizzle-orm';
import { decodeNumber, finiteOrNull } from '../../../../domain/json/number.ts';
import { formatValue } from '../../../../domain/text/format.ts';
import { trialCommands, type Command } from '../../../../view/page/commands.ts';
import { describeLearnt, describeSample } from '../../../../view/policy/sample.ts';
import { describeAgent } from '../../../../view/trial/describe-agent.ts';
import { describeCompute } from '../../../../view/rows/compute.ts';
import { describeOperator } from '../../../../view/trial/describe-operator.ts';
import { forecastOf } from '../../../../view/trial/forecast.ts';
import { describeWaiting } from '../../../../view/trial/waits-for.ts';
import { describeMachine, describeOutcome, describeVerdict } from '../../../../view/trial/describe-outcome.ts';
import { workflowUrl, type TemporalPages } from '../../../../view/workflow-url.ts';
import { describeRunEnd } from '../../../../domain/job/describe-run-end.ts';
import { cpuSecondsOf } from '../../../../view/trial/cpu-seconds.ts';
import type { Tx } from '../../../connect.ts';
import { readRunningLines } from '../research/read-running-lines.ts';
import { readTrialDetails, type TrialDetails } from '../../trial/read-trial-details.ts';
import type { RunRow } from '../../read-trial.ts';
import { finite } from '../finite.ts';
import { isComparable } from '../../../trial/comparable.ts';
import { findTrial } from './find-trial.ts';
import { readCallTotals } from './read-calls-page.ts';
import { readRelatives } from './read-relatives.ts';

/** Means of the scored runs of a trial's parent and of the unmodified version; null if none was scored. */
interface Compared {
  parentValue: number | null;
  baselineValue: number | null;
}

/** Means over runs under the metric of the trial's task version: other values cannot be compared. */
async function readCompared(
  db: Tx,
  trial: { researchId: string; taskHash: string; parentId: string | null; baselineCandidate: string },
): Promise<Compared> {
  const mean = (candidateId: string | null) => sql`(
    select avg(${finite(sql`trials.value`)}) from trials
    where trials.research_id = ${trial.researchId} and trials.candidate_id = ${candidateId}
      and trials.status = 'completed' and ${isComparable(trial.taskHash)})`;
  const { rows } = await db.execute<Record<keyof Compared, number | null>>(
    sql`select ${mean(trial.parentId)} as "parentValue", ${mean(trial.baselineCandidate)} as "baselineValue"`,
  );
  const { parentValue = null, baselineValue = null } = rows[0] ?? {};
  return { parentValue: finiteOrNull(parentValue), baselineValue: finiteOrNull(baselineValue) };
}

/** Everything of a trial except its curve, diff, log and calls, for its page; undefined for an unknown id. */
export async function readTrialPage(
  db: Tx,
  { trialId, temporal }: { trialId: string; temporal: TemporalPages | null },
) {
  const found = await findTrial(db, { trialId });
  if (!found) return undefined;
  const { research } = found;
  const about = await readTrialDetails(db, found);
  const { trial } = about;
  const compared = await readCompared(db, { ...trial, baselineCandidate: research.baselineCandidate });
  const isOpen = trial.status === null;
  const line = isOpen ? (await readRunningLines(db, research)).find(({ n }) => n === trial.n) : undefined;
  const { usd, tokens, last } = await readCallTotals(db, { trialId });
  return {
    ...identityOf(about),
    ...outcomeOf(about, compared),
    ...proposalOf(about),
    ...timesOf(about),
    stage: line?.stage ?? null,
    share: line?.share ?? null,
    waits: describeWaiting({ ...about, calls: last }),
    usd: finiteOrNull(usd),
    tokens: finiteOrNull(tokens),
    ...(await readRelatives(db, trial)),
    commands: trialCommands({ ...trial, asked: last.length > 0 }) satisfies Command[],
    temporalUrl: workflowUrl(temporal, trialId),
  };
}

const identityOf = ({ trial, task }: TrialDetails) => ({
  trialId: trial.id,
  research: trial.researchId,
  n: trial.n,
  kind: trial.kind,
  ofTrial: trial.ofTrial,
  candidateId: trial.candidateId,
  parentId: trial.parentId,
  seed: trial.seed,
  metric: {
    name: task.metric.name,
    direction: task.metric.direction,
    unit: task.metric.unit ?? null,
    optimum: task.metric.optimum ?? null,
  },
});

function outcomeOf({ trial, runs, task, compute }: TrialDetails, compared: Compared) {
  const judged = runs[0]?.abort ?? null;
  const value = finiteOrNull(trial.value);
  const verdict = trial.verdict ?? 'none';
  const others = Object.entries(trial.metrics ?? {}).filter(([name]) => name !== task.metric.name);
  return {
    status: trial.status,
    failure: trial.failure,
    failureMessage: trial.failureMessage,
    value,
    verdict,
    reason: trial.reason,
    evaluatorNotes: trial.evaluatorNotes,
    cases: (trial.feedback?.cases ?? []).map(({ name, value: given, text, heldOut = false }) => ({
      name,
      value: formatValue(decodeNumber(given)),
      text,
      heldOut,
    })),
    trusted: value === null ? null : trial.trusted,
    outcomeWords: describeOutcome(trial, judged),
    verdictWords: verdict === 'none' ? null : describeVerdict(verdict),
    ...compared,
    gotDelta: value === null || compared.parentValue === null ? null : value - compared.parentValue,
    metrics: others.map(([name, given]) => ({ name, value: formatValue(decodeNumber(given)) })),
    reward: rewardOf(trial),
    forecast: judged && forecastOf(judged),
    compute: describeCompute(compute),
  };
}

const rewardOf = ({ reward, rewardParts, rewardReason }: TrialDetails['trial']) =>
  rewardReason === null ? null : { value: finiteOrNull(reward), parts: rewardParts ?? {}, reason: rewardReason };

const proposalOf = ({ trial, sample, agent }: TrialDetails) => ({
  agent: agent && describeAgent(agent),
  hypothesis: trial.hypothesis,
  proposer: trial.proposer,
  proposerReason: trial.proposerReason,
  parentReason: trial.parentReason,
  operator: describeOperator(trial),
  expectedDelta: finiteOrNull(trial.expectedDelta),
  staleness: trial.staleness,
  sample: sample && {
    version: sample.policyVersion,
    update: sample.update && sample.update.state !== 'open' ? sample.update.k : null,
    words: [describeSample(sample), describeLearnt(sample, trial.reward)].filter((words) => words !== null).join('; '),
  },
});

/** One run of a trial: its place and its end. */
interface Placement {
  placement: number;
  host: string;
  slot: string;
  machine: string | null;
  launchedAt: string | null;
  endedAt: string | null;
  /** Seconds from launch to end. */
  seconds: number | null;
  cpuSeconds: number | null;
  /** End in words; null while the run goes on. */
  end: string | null;
  /** Shortage of the machine; the run did not count. */
  shortage: string | null;
  contention: string | null;
}

/** Converts a run for display. */
const placementOf = (run: RunRow): Placement => ({
  placement: run.placement,
  host: run.host,
  slot: run.slotId,
  shortage: run.shortage,
  contention: run.contention,
  machine: run.machine ? describeMachine(run.machine) : run.hardware,
  launchedAt: run.launchedAt?.toISOString() ?? null,
  endedAt: run.endedAt?.toISOString() ?? null,
  seconds: run.launchedAt && run.endedAt ? (run.endedAt.getTime() - run.launchedAt.getTime()) / 1000 : null,
  cpuSeconds: cpuSecondsOf(run.end),
  end:
    run.end === null && run.endedAt === null ? null : describeRunEnd(run.end as Parameters<typeof describeRunEnd>[0]),
});

const timesOf = ({ trial, runs }: TrialDetails) => ({
  seconds: finiteOrNull(trial.seconds),
  slotWaitSeconds: finiteOrNull(trial.slotWaitSeconds),
  createdAt: trial.createdAt.toISOString(),
  startedAt: trial.startedAt?.toISOString() ?? null,
  endedAt: trial.endedAt?.toISOString() ?? null,
  placements: runs.map(placementOf),
});
