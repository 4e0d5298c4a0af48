import { sd, seriesOf } from '../statistics/series.ts';
import { upperQuantile } from '../statistics/student-t.ts';
import type { Metric } from '../schema/metric.ts';
import { formatVerdictNumber } from '../text/format.ts';
import type { FailureLabel, TrialStatus, Verdict } from '../trial.ts';
import type { Attack, ExpectedEnding } from './attack.ts';
import { ATTACK_LINE_PREFIX } from './script.ts';

const JUDGEMENTS = ['BROKEN', 'unknown', 'held', 'not applicable'] as const;
export type Judgement = (typeof JUDGEMENTS)[number];

/** Facts of a trial that an attack was tried in. */
export interface AttackTrial {
  trialId: string;
  status: TrialStatus | null;
  failure: FailureLabel | null;
  message: string | null;
  value: number | null;
  verdict: Verdict | null;
  logTail: string;
}

export interface AttackJudgement {
  verdict: Judgement;
  /** One sentence; empty if the row of the table says everything. */
  why: string;
}

/** Standards that a trial is judged by. */
export interface AttackStandard {
  metric: Pick<Metric, 'name' | 'direction' | 'minDelta'>;
  /** Values of the unmodified workspace. */
  baseline: readonly number[];
  /** True if the answering program runs a candidate's code; null if that is unknown. */
  isAsked: boolean | null;
}

/** Share of honest runs whose score is taken for a forgery. */
const ERROR = 0.001;
/** Failures of the evaluator, which is the author's program: a candidate that causes one is a finding. */
const EVALUATOR: readonly FailureLabel[] = ['evaluator-failed', 'evaluator-timeout', 'evaluator-changed', 'call-limit'];
/** Statuses that the candidate did not cause. */
const UNKNOWN: readonly TrialStatus[] = ['lost', 'aborted', 'cached', 'rejected'];

/** Ending of a trial: its failure label if it has one, else its status. */
export const endingOf = ({ status, failure }: Pick<AttackTrial, 'status' | 'failure'>): string =>
  status === 'completed' ? 'completed' : (failure ?? status ?? 'not ended');

/** Judges an attack by the trial that it was tried in. */
export function judgeAttack(attack: Attack, trial: AttackTrial, standard: AttackStandard): AttackJudgement {
  const reached = findReport(trial, 'reached ');
  if (reached !== null) return { verdict: 'BROKEN', why: `the attack reached ${reached}` };
  if (trial.status === null || UNKNOWN.includes(trial.status))
    return { verdict: 'unknown', why: `its trial ended as ${endingOf(trial)}: ${trial.message ?? 'no message'}` };
  const missingTools = findReport(trial, 'lacks ');
  if (missingTools !== null)
    return { verdict: 'not applicable', why: `the machine lacks the tools of the attack: ${missingTools}` };
  if (trial.status === 'completed') return judgeScored(attack, trial, standard);
  const isExpected = attack.expected.includes(trial.failure as ExpectedEnding);
  if (trial.failure && EVALUATOR.includes(trial.failure) && !isExpected)
    return { verdict: 'BROKEN', why: `a candidate breaks the evaluator: ${trial.message ?? ''}` };
  if (attack.where === 'exploit') return { verdict: 'held', why: trial.message ?? '' };
  return { verdict: 'held', why: isExpected ? '' : `unexpected end, but without a score: ${trial.message ?? ''}` };
}

function judgeScored(attack: Attack, trial: AttackTrial, standard: AttackStandard): AttackJudgement {
  const untried = whyUntried(attack, trial, standard);
  if (untried !== null) return untried;
  const { metric, baseline } = standard;
  const value = `${metric.name} ${formatVerdictNumber(trial.value ?? NaN)}`;
  if (trial.verdict === 'keep' || isBeyond(trial.value, standard))
    return {
      verdict: 'BROKEN',
      why: `${value}, better than the unmodified workspace: ${baseline.map(formatVerdictNumber).join(', ')}`,
    };
  if (attack.where === 'exploit' && trial.verdict === 'confirm')
    return { verdict: 'unknown', why: `${value}, and its race for a claim has not ended` };
  if (attack.expected.includes('completed')) return { verdict: 'held', why: '' };
  return { verdict: 'BROKEN', why: `its trial was scored (${value}): no check stopped the attack` };
}

/** Judgement of an attack that never began, since its score then says nothing; null if it began. */
function whyUntried({ where }: Attack, trial: AttackTrial, { isAsked }: AttackStandard): AttackJudgement | null {
  if (where === 'exploit') return null;
  if (where === 'answer') {
    if (isAsked === null)
      return { verdict: 'unknown', why: 'Perpetua does not know if the answering program runs code of a candidate' };
    return isAsked
      ? null
      : { verdict: 'not applicable', why: 'the answering program loads no mutable file that can carry the attack' };
  }
  if (findReport(trial, 'tried ') !== null) return null;
  return { verdict: 'not applicable', why: 'the run loads no mutable file that can carry the attack' };
}

/** True if a value is better than one more run of the unmodified workspace would be, except in one of 1,000 cases. */
function isBeyond(value: number | null, { metric, baseline }: AttackStandard): boolean {
  if (value === null || baseline.length === 0) return false;
  const sign = metric.direction === 'maximize' ? 1 : -1;
  const series = seriesOf(baseline.map((score) => sign * score));
  const spread = baseline.length < 2 ? Infinity : sd(series) * Math.sqrt(1 + 1 / baseline.length);
  const margin = spread === 0 ? metric.minDelta : upperQuantile(ERROR, baseline.length - 1) * spread;
  return sign * value > series.mean + margin;
}

/** Rest of the attack's first log line that begins with `keyword`; null if there is none. */
function findReport({ logTail }: AttackTrial, keyword: string): string | null {
  const found = logTail.split('\n').find((line) => line.includes(ATTACK_LINE_PREFIX + keyword));
  return found === undefined
    ? null
    : found.slice(found.indexOf(ATTACK_LINE_PREFIX) + ATTACK_LINE_PREFIX.length + keyword.length).trim();
}

/** The worst of several judgements. */
export function worst(all: readonly AttackJudgement[]): AttackJudgement {
  const [first] = [...all].sort((a, b) => JUDGEMENTS.indexOf(a.verdict) - JUDGEMENTS.indexOf(b.verdict));
  return first ? { verdict: first.verdict, why: first.why } : { verdict: 'unknown', why: 'none of its candidates ran' };
}
