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
  /** One sentence; empty where the table says it all. */
  why: string;
}

/** Standards that a trial is judged by. */
export interface AttackStandard {
  metric: Pick<Metric, 'name' | 'direction' | 'minDelta'>;
  /** Values of the unmodified workspace. */
  baseline: readonly number[];
  /** Whether a candidate's code runs where questions are answered; null where nothing tells. */
  isAsked: boolean | null;
}

/** Share of honest runs that are taken for a forged score. */
const ERROR = 0.001;
/** The evaluator is the author's: that a candidate can break it is a finding. */
const EVALUATOR: readonly FailureLabel[] = ['evaluator-failed', 'evaluator-timeout', 'evaluator-changed'];
/** Nothing that the candidate did. */
const UNKNOWN: readonly TrialStatus[] = ['lost', 'aborted', 'cached', 'rejected'];

/** How a trial ended, by its label where it has one. */
export const endingOf = ({ status, failure }: Pick<AttackTrial, 'status' | 'failure'>): string =>
  status === 'completed' ? 'completed' : (failure ?? status ?? 'not ended');

/** Judges an attack by the trial that it was tried in. */
export function judgeAttack(attack: Attack, seen: AttackTrial, bench: AttackStandard): AttackJudgement {
  const reached = said(seen, 'reached ');
  if (reached !== null) return { verdict: 'BROKEN', why: `it reached ${reached}` };
  if (seen.status === null || UNKNOWN.includes(seen.status))
    return { verdict: 'unknown', why: `its trial ended as ${endingOf(seen)}: ${seen.message ?? 'no message'}` };
  const lacks = said(seen, 'lacks ');
  if (lacks !== null) return { verdict: 'not applicable', why: `the machine that ran it has none of ${lacks}` };
  if (seen.status === 'completed') return judgeScored(attack, seen, bench);
  if (seen.failure && EVALUATOR.includes(seen.failure))
    return { verdict: 'BROKEN', why: `a candidate breaks the evaluator: ${seen.message ?? ''}` };
  const isMeant = attack.expected.includes(seen.failure as ExpectedEnding);
  return { verdict: 'held', why: isMeant ? '' : `not as expected, but without a score: ${seen.message ?? ''}` };
}

function judgeScored(attack: Attack, seen: AttackTrial, bench: AttackStandard): AttackJudgement {
  const untried = whyUntried(attack, seen, bench);
  if (untried !== null) return untried;
  const { metric, baseline } = bench;
  const value = `${metric.name} ${formatVerdictNumber(seen.value ?? NaN)}`;
  if (seen.verdict === 'keep' || isBeyond(seen.value, bench))
    return {
      verdict: 'BROKEN',
      why: `${value}, better than the unmodified workspace: ${baseline.map(formatVerdictNumber).join(', ')}`,
    };
  if (attack.expected.includes('completed')) return { verdict: 'held', why: '' };
  return { verdict: 'BROKEN', why: `it was scored (${value}): nothing stopped it` };
}

/** A score says nothing of an attack that never began; null where it did. */
function whyUntried({ where }: Attack, seen: AttackTrial, { isAsked }: AttackStandard): AttackJudgement | null {
  if (where === 'answer') {
    if (isAsked === null)
      return { verdict: 'unknown', why: 'it is not known whether the answering program loads code of a candidate' };
    return isAsked
      ? null
      : { verdict: 'not applicable', why: 'its answering program loads no mutable file that can carry it' };
  }
  if (said(seen, 'tried ') !== null) return null;
  return { verdict: 'not applicable', why: 'its run loads no mutable file that can carry it' };
}

/** Better than one more run of the unmodified workspace would be, but in one of a thousand cases. */
function isBeyond(value: number | null, { metric, baseline }: AttackStandard): boolean {
  if (value === null || baseline.length === 0) return false;
  const sign = metric.direction === 'maximize' ? 1 : -1;
  const series = seriesOf(baseline.map((one) => sign * one));
  const spread = baseline.length < 2 ? Infinity : sd(series) * Math.sqrt(1 + 1 / baseline.length);
  const margin = spread === 0 ? metric.minDelta : upperQuantile(ERROR, baseline.length - 1) * spread;
  return sign * value > series.mean + margin;
}

/** The rest of the first line that begins so; null where it said nothing like it. */
function said({ logTail }: AttackTrial, what: string): string | null {
  const line = logTail.split('\n').find((one) => one.includes(ATTACK_LINE_PREFIX + what));
  return line === undefined
    ? null
    : line.slice(line.indexOf(ATTACK_LINE_PREFIX) + ATTACK_LINE_PREFIX.length + what.length).trim();
}

/** The worst of several. */
export function worst(all: readonly AttackJudgement[]): AttackJudgement {
  const [first] = [...all].sort((a, b) => JUDGEMENTS.indexOf(a.verdict) - JUDGEMENTS.indexOf(b.verdict));
  return first ? { verdict: first.verdict, why: first.why } : { verdict: 'unknown', why: 'none of its candidates ran' };
}
