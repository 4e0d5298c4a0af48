import { hasAllTimes } from './share-curve.ts';
import { percent } from '../text/format.ts';
import { asSettings } from '../method/axis.ts';
import { type AbortChoice, abortOf, type AbortRuleName } from './table.ts';
import type { AbortConfig, AbortDecision, AbortInput, AbortRule, AbortSteps, FinishedCurve } from './types.ts';

/** Share of the budget that must be left for a stop: what is less is hardly saved, and the value is lost all the same. */
const LEAST_LEFT = 0.05;

/** A rule with its state; each step gives the next one. */
export interface RunningRule {
  name: AbortRuleName;
  /** Plain JSON. */
  state: unknown;
  /** A curve with a gap in its times (`hasAllTimes`) teaches nothing, where its budget is one of time. */
  learn(curve: FinishedCurve): RunningRule;
  decide(input: AbortInput): { rule: RunningRule; decision: AbortDecision };
}

/**
 * The chosen rule before its first curve, or, with `state`, where it was left: a state holds the settings that it began
 * with. Throws UnknownMethod for a name or a setting that this build does not have.
 */
export function openRule(choice: AbortChoice, config: AbortConfig, state?: unknown): RunningRule {
  const { name, method, settings } = abortOf(choice);
  const rule: AbortRule = method;
  // A state is what this very rule gave before, through JSON.
  const steps: Steps = {
    learn: (held, curve) => rule.learn(held as never, curve),
    decide: (held, input) => rule.decide(held as never, input),
  };
  return running(name, onlyWhole(steps, config), state === undefined ? rule.init(config, asSettings(settings)) : state);
}

/** The rule once it knows runs of earlier researches, the oldest first; one that compares with none of these stays as it is. */
export const learnCarried = (rule: RunningRule, known: readonly FinishedCurve[]): RunningRule =>
  abortOf(rule.name).method.carries
    ? known.reduce((next, curve) => next.learn({ ...curve, carried: true }), rule)
    : rule;

type Steps = Pick<AbortSteps<unknown, never>, 'learn' | 'decide'>;

const onlyWhole = (rule: Steps, { burnIn }: AbortConfig): Steps => ({
  ...rule,
  learn: (state, curve) => (hasAllTimes(curve.points, curve.budget, burnIn) ? rule.learn(state, curve) : state),
});

function running(name: AbortRuleName, rule: Steps, state: unknown): RunningRule {
  return {
    name,
    state,
    learn: (curve) => running(name, rule, rule.learn(state, curve)),
    decide: (input) => {
      const next = rule.decide(state, input);
      return { rule: running(name, rule, next.state), decision: worthIt(next.decision) };
    },
  };
}

/** A run that is nearly at its end goes on, whatever the rule says. */
function worthIt(decision: AbortDecision): AbortDecision {
  if (!decision.abort || 1 - (decision.share ?? 0) >= LEAST_LEFT - 1e-9) return decision;
  const reason = `${decision.reason}; it goes on, since less than ${percent(LEAST_LEFT)} of its budget is left`;
  return { ...decision, abort: false, reason };
}
