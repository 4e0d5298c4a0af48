import { hasAllTimes } from './share-curve.ts';
import { percent } from '../text/format.ts';
import { asSettings } from '../method/axis.ts';
import { type AbortChoice, abortOf, type AbortRuleName } from './table.ts';
import type { AbortConfig, AbortDecision, AbortInput, AbortRule, AbortSteps, FinishedCurve } from './types.ts';

/** Share of the budget that must remain for a stop: a later stop saves little, yet the run's value is lost. */
const LEAST_REMAINING = 0.05;

/** A rule with its state; each step returns the rule with its next state. */
export interface RunningRule {
  name: AbortRuleName;
  /** Plain JSON. */
  state: unknown;
  /** Learns a finished curve; skips it if the budget is in seconds and its times have a gap (`hasAllTimes`). */
  learn(curve: FinishedCurve): RunningRule;
  decide(input: AbortInput): { rule: RunningRule; decision: AbortDecision };
}

/**
 * Opens the chosen rule before its first curve; with `state`, continues from `state`, whose own settings win over
 * `choice`. Throws UnknownMethod for a name or a setting that this build does not have.
 */
export function openRule(choice: AbortChoice, config: AbortConfig, state?: unknown): RunningRule {
  const { name, method, settings } = abortOf(choice);
  const rule: AbortRule = method;
  // The casts hold because each state is from this same rule, through JSON.
  const steps: Steps = {
    learn: (current, curve) => rule.learn(current as never, curve),
    decide: (current, input) => rule.decide(current as never, input),
  };
  const first = state === undefined ? rule.init(config, asSettings(settings)) : state;
  return runningRule(name, skipCurvesWithGaps(steps, config), first);
}

/** Teaches a rule the runs of earlier researches, oldest first. A rule without `carries` stays unchanged. */
export const learnCarried = (rule: RunningRule, known: readonly FinishedCurve[]): RunningRule =>
  abortOf(rule.name).method.carries
    ? known.reduce((next, curve) => next.learn({ ...curve, carried: true }), rule)
    : rule;

type Steps = Pick<AbortSteps<unknown, never>, 'learn' | 'decide'>;

const skipCurvesWithGaps = (rule: Steps, { burnIn }: AbortConfig): Steps => ({
  ...rule,
  learn: (state, curve) => (hasAllTimes(curve.points, curve.budget, burnIn) ? rule.learn(state, curve) : state),
});

function runningRule(name: AbortRuleName, rule: Steps, state: unknown): RunningRule {
  return {
    name,
    state,
    learn: (curve) => runningRule(name, rule, rule.learn(state, curve)),
    decide: (input) => {
      const next = rule.decide(state, input);
      return { rule: runningRule(name, rule, next.state), decision: spareNearEnd(next.decision) };
    },
  };
}

/** Lets a run near its end go on, even if the rule decides to stop it. */
function spareNearEnd(decision: AbortDecision): AbortDecision {
  if (!decision.abort || 1 - (decision.share ?? 0) >= LEAST_REMAINING - 1e-9) return decision;
  const reason = `${decision.reason}; it goes on, since less than ${percent(LEAST_REMAINING)} of its budget is left`;
  return { ...decision, abort: false, reason };
}
