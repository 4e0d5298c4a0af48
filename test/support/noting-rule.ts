import type { RunningRule } from '../../domain/abort/rules.ts';
import type { FinishedCurve } from '../../domain/abort/types.ts';

/** A rule that notes each curve that it is taught in `into`. */
export function noting(rule: RunningRule, into: FinishedCurve[]): RunningRule {
  return {
    ...rule,
    learn(curve) {
      into.push(curve);
      return noting(rule.learn(curve), into);
    },
    decide(input) {
      const { rule: next, decision } = rule.decide(input);
      return { rule: noting(next, into), decision };
    },
  };
}
