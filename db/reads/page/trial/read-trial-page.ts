import { decodeNumber, finiteOrNull } from '../../../../domain/number.ts';
import { formatValue } from '../../../../domain/text/format.ts';
import { trialCommands, type Command } from '../../../../view/page/commands.ts';
import { describeLearnt, describeSample } from '../../../../view/policy/sample.ts';
import { describeCompute } from '../../../../view/rows/compute.ts';
import { forecastOf } from '../../../../view/trial/forecast.ts';
import { describeWaiting } from '../../../../view/trial/waits-for.ts';
import { outcomeWords, verdictWords } from '../../../../view/trial/words.ts';
import { workflowUrl, type TemporalPages } from '../../../../view/workflow-url.ts';
import type { Tx } from '../../../connect.ts';
import { readRunningLines } from '../research/read-running-lines.ts';
import { readAbout, type About } from '../../trial/read-shown.ts';
import { findTrial } from './find-trial.ts';
import { placementOf } from './placements.ts';
import { readCallTotals } from './read-call-totals.ts';
import { readCompared, type Compared } from './read-compared.ts';
import { readRelatives } from './read-relatives.ts';

/** All of a trial but its curve, diff, log and calls, for its page; undefined for an unknown id. */
export async function readTrialPage(
  db: Tx,
  { trialId, temporal }: { trialId: string; temporal: TemporalPages | null },
) {
  const found = await findTrial(db, { trialId });
  if (!found) return undefined;
  const { research } = found;
  const about = await readAbout(db, found);
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
    ...{ stage: line?.stage ?? null, share: line?.share ?? null },
    waits: describeWaiting({ ...about, calls: last }),
    ...{ usd: finiteOrNull(usd), tokens: finiteOrNull(tokens) },
    ...(await readRelatives(db, trial)),
    commands: trialCommands({ ...trial, asked: last.length > 0 }) satisfies Command[],
    temporalUrl: workflowUrl(temporal, trialId),
  };
}

const identityOf = ({ trial, task }: About) => ({
  ...{ trialId: trial.id, research: trial.researchId, n: trial.n, kind: trial.kind, ofTrial: trial.ofTrial },
  ...{ candidateId: trial.candidateId, parentId: trial.parentId, seed: trial.seed },
  metric: {
    name: task.metric.name,
    direction: task.metric.direction,
    unit: task.metric.unit ?? null,
    optimum: task.metric.optimum ?? null,
  },
});

function outcomeOf({ trial, runs, task, compute }: About, compared: Compared) {
  const judged = runs[0]?.abort ?? null;
  const value = finiteOrNull(trial.value);
  const verdict = trial.verdict ?? 'none';
  const others = Object.entries(trial.metrics ?? {}).filter(([name]) => name !== task.metric.name);
  return {
    ...{ status: trial.status, failure: trial.failure, failureMessage: trial.failureMessage, value, verdict },
    ...{ reason: trial.reason, evaluatorNotes: trial.evaluatorNotes, trusted: value === null ? null : trial.trusted },
    outcomeWords: outcomeWords(trial, judged),
    verdictWords: verdict === 'none' ? null : verdictWords(verdict),
    ...compared,
    gotDelta: value === null || compared.parentValue === null ? null : value - compared.parentValue,
    metrics: others.map(([name, given]) => ({ name, value: formatValue(decodeNumber(given)) })),
    reward: rewardOf(trial),
    forecast: judged && forecastOf(judged),
    compute: describeCompute(compute),
  };
}

const rewardOf = ({ reward, rewardParts, rewardReason }: About['trial']) =>
  rewardReason === null ? null : { value: finiteOrNull(reward), parts: rewardParts ?? {}, reason: rewardReason };

const proposalOf = ({ trial, sample }: About) => ({
  ...{ hypothesis: trial.hypothesis, proposer: trial.proposer },
  ...{ proposerReason: trial.proposerReason, parentReason: trial.parentReason },
  ...{ expectedDelta: finiteOrNull(trial.expectedDelta), staleness: trial.staleness },
  sample: sample && {
    version: sample.policyVersion,
    update: sample.update && sample.update.state !== 'open' ? sample.update.k : null,
    words: [describeSample(sample), describeLearnt(sample, trial.reward)].filter((words) => words !== null).join('; '),
  },
});

const timesOf = ({ trial, runs }: About) => ({
  ...{ seconds: finiteOrNull(trial.seconds), slotWaitSeconds: finiteOrNull(trial.slotWaitSeconds) },
  createdAt: trial.createdAt.toISOString(),
  startedAt: trial.startedAt?.toISOString() ?? null,
  endedAt: trial.endedAt?.toISOString() ?? null,
  placements: runs.map(placementOf),
});
