import { pathText, type Problem } from '../../issue/problem.ts';
import { asSettings, choiceText } from '../../method/axis.ts';
import type { ParentRule } from '../../search/parent.ts';
import { nicheRuleOf, parentRulesIn } from '../../search/parent/niche-rule.ts';
import { parentRuleOf } from '../../search/parent/table.ts';
import type { Task } from '../task.ts';

/** Contradictions between the parent rules of a task, those of its mixture's arms included, and the task. */
export function parentProblems(task: Task): Problem[] {
  const rules = parentRulesIn(task.search);
  const ofRules = rules.flatMap(({ path, choice }) => {
    const { method, settings } = parentRuleOf(choice);
    const { problems }: ParentRule = method;
    return (problems?.(asSettings(settings), task) ?? []).map((problem) => ({
      ...problem,
      path: [...path, ...problem.path],
    }));
  });
  const withNiches = rules.flatMap((rule) => {
    const niches = nicheRuleOf(rule.choice);
    return niches === null ? [] : { ...rule, text: niches.text };
  });
  const [first, ...others] = withNiches;
  const other = others.find(({ text }) => text !== first?.text);
  if (!first || !other) return ofRules;
  return [
    ...ofRules,
    {
      path: other.path,
      expected: `the same islands or cells as at ${pathText(first.path)}, since a tree has one division`,
      got: choiceText(other.choice),
      todo: `write ${choiceText(first.choice)}, or a rule without islands or cells`,
    },
  ];
}
