import type { RunningRule } from '../../domain/abort/rules.ts';
import type { FinishedCurve } from '../../domain/abort/types.ts';

/** A rule that adds each learned curve to `learned`. */
export function createRecordingRule(rule: RunningRule, learned: FinishedCurve[]): RunningRule {
  return {
    ...rule,
    learn(curve) {
      learned.push(curve);
      return createRecordingRule(rule.learn(curve), learned);
    },
    decide(input) {
      const { rule: next, decision } = rule.decide(input);
      return { rule: createRecordingRule(next, learned), decision };
    },
  };
}
