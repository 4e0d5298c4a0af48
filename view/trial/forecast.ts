import { describeAbortRecord, type AbortRecord } from '../../domain/abort/record.ts';
import { finiteOrNull } from '../../domain/json/number.ts';
import { oneLine } from '../../domain/text/sanitize.ts';

/** Forecast of the early-abort rule for a run. Values are in units of the metric; null if there is no finite value. */
export interface ForecastView {
  forecast: number | null;
  /** Lower end of the 95 % interval, on which no decision depends. */
  low: number | null;
  /** Upper end of that interval. */
  high: number | null;
  /** Value that the run had to beat. */
  toBeat: number | null;
  /** Share of the budget at which the rule judged the run, 0 to 1. */
  share: number | null;
  /** True: the rule wanted to stop the run. */
  wanted: boolean;
  /** True: the run went on nevertheless, to measure the rule's error. */
  audited: boolean;
  words: string;
}

/** The view of a rule's record for people. */
export function forecastOf(judged: AbortRecord): ForecastView {
  const { interval, incumbent, abort, audited, share } = judged;
  return {
    forecast: finiteOrNull(judged.forecast),
    low: finiteOrNull(interval?.low ?? null),
    high: finiteOrNull(interval?.high ?? null),
    toBeat: finiteOrNull(incumbent),
    share: finiteOrNull(share),
    wanted: abort,
    audited,
    words: oneLine(describeAbortRecord(judged)),
  };
}
