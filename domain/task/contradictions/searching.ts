import { curveBudget } from '../../abort/settings.ts';
import { type Problem, shown } from '../issue.ts';
import type { Task } from '../task.ts';

/** What search, keep, repeats and budget say against each other. */
export function searching(task: Task): Problem[] {
  const { search, keep, repeats, budget, knobs, progress } = task;
  const problems: Problem[] = [];
  if (search.abort !== undefined && search.abort !== 'none' && curveBudget(task) === null)
    problems.push({
      path: ['search', 'abort'],
      expected: 'none, since nothing says how far a run is',
      came: `${search.abort}, ${progress ? 'with run.budget.kind reference' : 'without progress'}`,
      todo: progress
        ? 'print the share of the budget (a group named share, or progress.share), or set progress.steps'
        : 'say under progress how the lines of a run are read, or remove it',
    });
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
