import { type Problem, shown } from '../issue.ts';
import type { Task } from '../task.ts';

/** What search, keep, repeats and budget say against each other. */
export function searching({ search, keep, repeats, budget, knobs }: Task): Problem[] {
  const problems: Problem[] = [];
  if (search.proposer === 'random' && knobs.length === 0)
    problems.push({
      path: ['search', 'proposer'],
      expected: 'knobs, since the random proposer turns them',
      came: 'no knobs',
      todo: 'list knobs (file, name, type, range), or set search.proposer: llm',
    });
  if (repeats > 1 && keep.policy === 'noise-gated')
    problems.push({
      path: ['repeats'],
      expected: '1, since keep.policy noise-gated runs what is worth it again by itself',
      came: shown(repeats),
      todo: 'remove repeats, or set keep.policy: strict',
    });
  if (keep.policy === 'noise-gated' && keep.baselineRuns !== undefined && keep.baselineRuns < 2)
    problems.push({
      path: ['keep', 'baselineRuns'],
      expected: 'at least 2, since keep.policy noise-gated measures the noise on the baseline (default: 10)',
      came: shown(keep.baselineRuns),
      todo: 'raise it, or set keep.policy: strict',
    });
  if (budget.trials !== undefined && budget.counts.length === 0)
    problems.push({
      path: ['budget', 'counts'],
      expected: 'at least one kind of trial, since budget.trials is set',
      came: 'an empty list',
      todo: 'remove counts (default: search, injected) or trials',
    });
  return problems;
}
