import type { AbortRuleName } from './table.ts';
import { percent, formatAbortNumber } from '../text/format.ts';
import type { AbortDecision } from './types.ts';

/** A rule's verdict on one run: its first decision to stop it, or its last look at a run that goes on. Plain JSON. */
export interface AbortRecord extends AbortDecision {
  rule: AbortRuleName;
  /** The rule with its settings (`ruleText`): the audit's key. Absent from records older than rules' settings. */
  by?: string;
  /** The value that the run had to beat at this look. */
  incumbent: number | null;
  /**
   * The value to beat at the first look that had one; the audit judges the run's end by it. Since the value moves, runs
   * that the rule wanted to stop and runs that it let live are judged by the same look. Absent from older records.
   */
  judgedBy?: number | null;
  /** The rule's strictness at this look. */
  strictness: number;
  /** Seconds after the start. */
  elapsed: number;
  /** Probability with which the would-be stop was audited; null for a run that the rule let live. */
  auditProbability: number | null;
  /** The run goes on although the rule wanted to stop it, so that the rule's error is measured. */
  audited: boolean;
}

/** True if the run is to be stopped: the rule wanted to stop it, and the run was not drawn for an audit. */
export const isStopped = (record: AbortRecord | null | undefined): boolean =>
  record !== null && record !== undefined && record.abort && !record.audited;

/** The rule's effect on a run, in one line. */
export function describeAbortRecord(record: AbortRecord): string {
  const { rule, abort, audited, share, reason } = record;
  const cause = `${rule}${describeForecast(record)}: ${reason}`;
  if (!abort) return `not stopped; last judged at ${percent(share ?? 0)} by ${cause}`;
  if (!audited) return `stopped at ${percent(share ?? 0)} by ${cause}`;
  return `went on as an audit; would have been stopped at ${percent(share ?? 0)} by ${cause}`;
}

/** "stopped at 35 %, forecast 1.08 ± 0.02 against 1.02: …", for people and proposers. */
export const stopMessage = (record: AbortRecord): string =>
  `stopped at ${percent(record.share ?? 0)}${describeForecast(record)}: ${record.reason}`;

function describeForecast({ forecast, interval, incumbent }: AbortRecord): string {
  const spread = interval === null ? '' : ` ± ${formatAbortNumber((interval.high - interval.low) / 2)}`;
  const expected = forecast === null ? '' : `, forecast ${formatAbortNumber(forecast)}${spread}`;
  return incumbent === null ? expected : `${expected} against ${formatAbortNumber(incumbent)}`;
}
