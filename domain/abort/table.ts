import { type Choice, choiceText, type Chosen, methodOf, type NameOf } from '../method/axis.ts';
import { asha } from './rules/asha.ts';
import { matchedTime } from './rules/matched-time.ts';
import { median } from './rules/median.ts';
import { none } from './rules/none.ts';
import { powerLawSprtCorrected } from './rules/power-law-sprt-corrected.ts';
import { powerLawSprt } from './rules/power-law-sprt.ts';
import type { AbortRule } from './types.ts';

/** Early-abort rules by name. A new rule is its file and a line here. */
export const ABORTS = {
  none,
  'matched-time': matchedTime,
  median,
  asha,
  'power-law-sprt': powerLawSprt,
  'power-law-sprt-corrected': powerLawSprtCorrected,
} as const satisfies Record<string, AbortRule>;

export type AbortRuleName = NameOf<typeof ABORTS>;
/** A rule as a task writes it: its name, or `{ name, …settings }`. */
export type AbortChoice = Choice<typeof ABORTS>;
/** Names of all rules, in the order in which they are listed for people. */
export const ABORT_RULES = Object.keys(ABORTS) as readonly AbortRuleName[];

/** The rule of a task that names none and whose runs print progress lines. */
export const DEFAULT_RULE: AbortRuleName = 'matched-time';

/** Returns a rule with its non-default settings, on one line. Rules with the same text decide alike. */
export function ruleText(choice: AbortChoice): string {
  const { name, method, settings } = abortOf(choice);
  const defaults: Record<string, unknown> = method.settings.parse({});
  const changed = Object.entries(settings).filter(([key, value]) => defaults[key] !== value);
  return choiceText({ name, ...Object.fromEntries(changed) });
}

/** Resolves a stored rule. Throws UnknownMethod for a rule that this build does not have. */
export const abortOf = (stored: unknown): Chosen<typeof ABORTS> => methodOf('search.abort', ABORTS, stored);
