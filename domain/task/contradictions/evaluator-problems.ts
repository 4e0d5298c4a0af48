import { evaluatorLlmOf } from '../../schema/evaluator.ts';
import type { Problem } from '../../issue/problem.ts';
import type { Task } from '../task.ts';

/** Contradictions of an evaluator that asks models: nothing but the evaluator may reach its way to them. */
export function evaluatorProblems({ evaluator, run }: Pick<Task, 'evaluator' | 'run'>): Problem[] {
  if (evaluator.type === 'none' || evaluatorLlmOf(evaluator) === null) return [];
  const problems: Problem[] = [];
  if (evaluator.type === 'artefact' && evaluator.heldOut !== undefined)
    problems.push({
      path: ['evaluator', 'heldOut'],
      expected: 'no models, since the held-out score is made without a worker and its way to models (evaluator.llm)',
      got: 'a command',
      todo: 'remove one of the two keys',
    });
  if (evaluator.network === true)
    problems.push({
      path: ['evaluator', 'network'],
      expected: 'no network, since each program of the machine could use the way to models then (evaluator.llm)',
      got: 'true',
      todo: 'remove one of the two keys',
    });
  if (run.sandbox === 'none')
    problems.push({
      path: ['run', 'sandbox'],
      expected: 'required or preferred, since a run without a sandbox could use the way to models (evaluator.llm)',
      got: 'none',
      todo: 'remove one of the two keys',
    });
  return problems;
}
