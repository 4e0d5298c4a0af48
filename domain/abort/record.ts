import type { AbortRuleName } from './names.ts';
import { percent, short } from './say.ts';
import type { AbortDecision } from './types.ts';

/** What a rule made of one run: its first wish to stop it, or its last look at one that it let live. Plain JSON. */
export interface AbortRecord extends AbortDecision {
  rule: AbortRuleName;
  /** The value that the run was to beat, and how strict the rule was just then. */
  incumbent: number | null;
  strictness: number;
  /** Seconds after the start. */
  elapsed: number;
  /** Probability with which the would-be stop was audited; null for a run that the rule let live. */
  auditProbability: number | null;
  /** The run goes on although the rule wanted to stop it, so that the rule's error is measured. */
  audited: boolean;
}

/** True if the run is to be stopped: the rule wanted it, and the lot did not fall on it. */
export const stops = (record: AbortRecord | null | undefined): boolean =>
  record !== null && record !== undefined && record.abort && !record.audited;

/** "stopped at 35 %, forecast 1.08 ± 0.02 against 1.02: …", for people and proposers. */
export function stopMessage({ share, forecast, interval, incumbent, reason }: AbortRecord): string {
  const spread = interval === null ? '' : ` ± ${short((interval.high - interval.low) / 2)}`;
  const expected = forecast === null ? '' : `, forecast ${short(forecast)}${spread}`;
  const against = incumbent === null ? '' : ` against ${short(incumbent)}`;
  return `stopped at ${percent(share ?? 0)}${expected}${against}: ${reason}`;
}
