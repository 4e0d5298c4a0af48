import { sql } from 'drizzle-orm';
import { trialIdOf } from '../../../../domain/trial/ids.ts';
import { finiteOrNull } from '../../../../domain/json/number.ts';
import type { ShownVerdict, TrialKind, TrialStatus } from '../../../../domain/trial.ts';
import { gainOverBaseline } from '../../../../view/page/gain-over-baseline.ts';
import { standingOf } from '../../../../view/standing.ts';
import type { Tx } from '../../../connect.ts';
import { isComparable } from '../../../trial/comparable.ts';
import type { ResearchView } from '../../read-research.ts';
import { finite } from '../finite.ts';
import { isoOrNull } from '../iso.ts';
import { readRunningLines, type RunningLine } from '../research/read-running-lines.ts';
import { shownVerdictOrNone } from './filter.ts';

/** A trial as a row of a table. */
export interface TrialLine {
  trialId: string;
  n: number;
  kind: TrialKind;
  ofTrial: number | null;
  status: TrialStatus | null;
  /** Stage of a trial under way, in words, and the share of its budget that its run has spent, if it is known. */
  stage: string | null;
  share: number | null;
  failure: string | null;
  verdict: ShownVerdict;
  value: number | null;
  /** False: the task had another metric then, and the value cannot be compared. */
  sameMetric: boolean;
  /** Null if there is no score. */
  trusted: boolean | null;
  /** Gain over the baseline's mean, positive if better; null under another metric. */
  gain: number | null;
  hypothesis: string | null;
  /** Reason of the verdict; message of the failure if the gate gave no reason. */
  reason: string | null;
  proposer: string | null;
  slot: string | null;
  seconds: number | null;
  usd: number | null;
  startedAt: string | null;
  endedAt: string | null;
}

interface Row extends Omit<TrialLine, 'gain' | 'stage' | 'share' | 'startedAt' | 'endedAt'>, Record<string, unknown> {
  startedAt: string | null;
  endedAt: string | null;
}

/** Trials with these numbers, in the same order; unknown numbers are left out. */
export async function readRows(
  db: Tx,
  { research, numbers }: { research: ResearchView; numbers: readonly number[] },
): Promise<TrialLine[]> {
  const { id: researchId, taskHash, task } = research;
  const { rows } = await db.execute<Row>(sql`
    select trials.n, trials.kind, trials.of_trial as "ofTrial", trials.status, trials.failure,
      ${shownVerdictOrNone(researchId)} as verdict, trials.value, trials.trusted, trials.hypothesis,
      coalesce(trials.reason, trials.failure_message) as reason, trials.proposer,
      trials.slot_id as slot, trials.seconds,
      (select sum(${finite(sql`calls.usd`)}) from calls where calls.trial_id = trials.id) as usd,
      trials.started_at as "startedAt", trials.ended_at as "endedAt",
      trials.value is null or ${isComparable(taskHash)} as "sameMetric"
    from trials
    where trials.research_id = ${researchId}
      and trials.n in (select value::int from jsonb_array_elements_text(${JSON.stringify(numbers)}::jsonb))`);
  const baseline = standingOf(research).baseline?.value ?? null;
  const underWay = await readUnderWay(db, research, rows);
  const found = new Map(
    rows.map((row) => {
      const value = finiteOrNull(row.value);
      const gain = gainOverBaseline(row.sameMetric ? baseline : null, { value, direction: task.metric.direction });
      const numbersOf = { value, gain, seconds: finiteOrNull(row.seconds), usd: finiteOrNull(row.usd) };
      const times = { startedAt: isoOrNull(row.startedAt), endedAt: isoOrNull(row.endedAt) };
      const trusted = value === null ? null : row.trusted;
      const { stage = null, share = null } = underWay.get(row.n) ?? {};
      return [row.n, { ...row, ...numbersOf, stage, share, ...times, trusted, trialId: trialIdOf(researchId, row.n) }];
    }),
  );
  return numbers.flatMap((n) => found.get(n) ?? []);
}

/** Stage and progress of trials without an outcome, as on the research's page. */
async function readUnderWay(db: Tx, research: ResearchView, rows: readonly Row[]): Promise<Map<number, RunningLine>> {
  if (rows.every(({ status }) => status !== null)) return new Map();
  return new Map((await readRunningLines(db, research)).map((line) => [line.n, line]));
}
