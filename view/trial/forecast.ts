import { describeAbortRecord, type AbortRecord } from '../../domain/abort/record.ts';
import { finiteOrNull } from '../../domain/json/number.ts';
import { oneLine } from '../../domain/text/sanitize.ts';

/** What the rule of early abort made of a run. Values are on the metric's own axis; null where there is none, or no finite one. */
export interface ForecastView {
  forecast: number | null;
  /** Interval of 95 %; no decision rests on it. */
  low: number | null;
  high: number | null;
  /** What the run had to beat. */
  toBeat: number | null;
  /** Share of the budget at which it was looked at, 0 to 1. */
  share: number | null;
  /** Whether the rule wanted to stop it, and whether it went on to measure the rule's error. */
  wanted: boolean;
  audited: boolean;
  words: string;
}

/** A rule's record as people are shown it. */
export function forecastOf(judged: AbortRecord): ForecastView {
  const { interval, incumbent, abort, audited, share } = judged;
  return {
    forecast: finiteOrNull(judged.forecast),
    low: finiteOrNull(interval?.low ?? null),
    high: finiteOrNull(interval?.high ?? null),
    toBeat: finiteOrNull(incumbent),
    ...{ share: finiteOrNull(share), wanted: abort, audited, words: oneLine(describeAbortRecord(judged)) },
  };
}
