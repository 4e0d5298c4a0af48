import type { AbortRuleName } from './table.ts';
import { percent, formatAbortNumber } from '../text/format.ts';
import type { AbortDecision } from './types.ts';

/** What a rule made of one run: its first wish to stop it, or its last look at one that it let live. Plain JSON. */
export interface AbortRecord extends AbortDecision {
  rule: AbortRuleName;
  /** The same with its settings (`ruleText`), by which the audit tells rules apart. Absent from older records: it had none. */
  by?: string;
  /** The value that the run was to beat, and how strict the rule was just then. */
  incumbent: number | null;
  /**
   * The value to beat at the first look that had one, by which the audit judges how the run ended: the same look for runs that
   * the rule wanted to stop and for those that it let live, since the value moves. Absent from older records.
   */
  judgedBy?: number | null;
  strictness: number;
  /** Seconds after the start. */
  elapsed: number;
  /** Probability with which the would-be stop was audited; null for a run that the rule let live. */
  auditProbability: number | null;
  /** The run goes on although the rule wanted to stop it, so that the rule's error is measured. */
  audited: boolean;
}

/** True if the run is to be stopped: the rule wanted it, and the lot did not fall on it. */
export const isStopped = (record: AbortRecord | null | undefined): boolean =>
  record !== null && record !== undefined && record.abort && !record.audited;

/** What became of a run at its rule's hands, in one line. */
export function describeAbortRecord(record: AbortRecord): string {
  const { rule, abort, audited, share, reason } = record;
  const seen = `${rule}${forecastWords(record)}: ${reason}`;
  if (!abort) return `let it live, last looked at ${percent(share ?? 0)} by ${seen}`;
  if (!audited) return `stopped at ${percent(share ?? 0)} by ${seen}`;
  return `would have stopped it at ${percent(share ?? 0)}; it went on, to measure the error of ${seen}`;
}

/** "stopped at 35 %, forecast 1.08 ± 0.02 against 1.02: …", for people and proposers. */
export const stopMessage = (record: AbortRecord): string =>
  `stopped at ${percent(record.share ?? 0)}${forecastWords(record)}: ${record.reason}`;

function forecastWords({ forecast, interval, incumbent }: AbortRecord): string {
  const spread = interval === null ? '' : ` ± ${formatAbortNumber((interval.high - interval.low) / 2)}`;
  const expected = forecast === null ? '' : `, forecast ${formatAbortNumber(forecast)}${spread}`;
  return incumbent === null ? expected : `${expected} against ${formatAbortNumber(incumbent)}`;
}
