import {
  type Choice,
  choiceText,
  type Chosen,
  type Method,
  methodOf,
  type NameOf,
  NO_SETTINGS,
} from '../search/axis.ts';
import { asha, ASHA_SETTINGS } from './rules/asha.ts';
import { matchedTime } from './rules/matched-time.ts';
import { FEWEST as MATCHED_FEWEST } from './rules/matched-time/against-all.ts';
import { FEWEST as MEDIAN_FEWEST, median } from './rules/median.ts';
import { none } from './rules/none.ts';
import { FEWEST as CORRECTED_FEWEST, powerLawSprtCorrected } from './rules/power-law-sprt-corrected.ts';
import { powerLawSprt } from './rules/power-law-sprt.ts';
import type { AbortRule } from './types.ts';

/** Facts about an abort rule. */
export interface AbortMethod extends Method {
  /** Whether it ever stops a run. */
  stops: boolean;
  /** Ended runs before which it stops nothing. */
  needsEnded: number;
  /** Asks for more evidence where the audit tells it to; a rule that cannot is switched off instead. */
  canTighten: boolean;
  /** Compares values of curves as if they were the metric, so that the two must point the same way. */
  takesCurveForMetric: boolean;
  /** Compares with runs of earlier researches, too, until it knows enough of its own. */
  carries: boolean;
  rule: AbortRule<unknown>;
}

const settings = NO_SETTINGS;

/** Every rule of early abort. A new one is its file and a line here. */
export const ABORTS = {
  none: {
    settings,
    stops: false,
    needsEnded: 0,
    canTighten: false,
    takesCurveForMetric: false,
    carries: false,
    rule: none,
  },
  'matched-time': {
    settings,
    stops: true,
    needsEnded: MATCHED_FEWEST,
    canTighten: true,
    takesCurveForMetric: false,
    carries: true,
    rule: matchedTime,
  },
  median: {
    settings,
    stops: true,
    needsEnded: MEDIAN_FEWEST,
    canTighten: false,
    takesCurveForMetric: true,
    carries: false,
    rule: median,
  },
  asha: {
    settings: ASHA_SETTINGS,
    stops: true,
    needsEnded: 0,
    canTighten: false,
    takesCurveForMetric: true,
    carries: false,
    rule: asha,
  },
  'power-law-sprt': {
    settings,
    stops: true,
    needsEnded: 1,
    canTighten: false,
    takesCurveForMetric: true,
    carries: false,
    rule: powerLawSprt,
  },
  'power-law-sprt-corrected': {
    settings,
    stops: true,
    needsEnded: CORRECTED_FEWEST,
    canTighten: true,
    takesCurveForMetric: true,
    carries: false,
    rule: powerLawSprtCorrected,
  },
} as const satisfies Record<string, AbortMethod>;

export type AbortRuleName = NameOf<typeof ABORTS>;
/** A rule as a task writes it: its name, or `{ name, …settings }`. */
export type AbortChoice = Choice<typeof ABORTS>;
/** Names of all rules, in the order in which they are listed for people. */
export const ABORT_RULES = Object.keys(ABORTS) as readonly AbortRuleName[];

/** The rule of a task that names none and whose runs print progress lines. */
export const DEFAULT_RULE: AbortRuleName = 'matched-time';

/** A rule with the settings that are not its defaults, on one line: rules of the same text decide alike. */
export function ruleText(choice: AbortChoice): string {
  const { name, method, settings: own } = abortOf(choice);
  const defaults: Record<string, unknown> = method.settings.parse({});
  return choiceText({
    name,
    ...Object.fromEntries(Object.entries(own).filter(([key, value]) => defaults[key] !== value)),
  });
}

/** A stored rule; throws UnknownMethod for one that this build does not have. */
export const abortOf = (stored: unknown): Chosen<typeof ABORTS> => methodOf('search.abort', ABORTS, stored);
