import type { RunningRule } from '../../domain/abort/rules.ts';
import type { FinishedCurve } from '../../domain/abort/types.ts';

/** A rule that notes each curve that it is taught in `into`. */
export function createRecordingRule(rule: RunningRule, into: FinishedCurve[]): RunningRule {
  return {
    ...rule,
    learn(curve) {
      into.push(curve);
      return createRecordingRule(rule.learn(curve), into);
    },
    decide(input) {
      const { rule: next, decision } = rule.decide(input);
      return { rule: createRecordingRule(next, into), decision };
    },
  };
}
