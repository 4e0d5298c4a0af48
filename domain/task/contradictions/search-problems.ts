import { curveBudget } from '../../abort/settings.ts';
import { abortOf } from '../../abort/table.ts';
import { choiceName } from '../../method/axis.ts';
import { KEEPS } from '../../search/keep.ts';
import { refusedChoice } from '../../search/proposer/find-proposer.ts';
import { factsOf, makersOf, proposersThat } from '../../search/proposer/makers.ts';
import { AUTO } from '../../search/proposer/table.ts';
import { type Problem, describeValue } from '../../issue/problem.ts';
import type { Task } from '../task.ts';

/** Contradictions among search, keep, repeats, budget, knobs and progress. */
export function searchProblems(task: Task): Problem[] {
  const { search, keep, repeats, budget, knobs, progress } = task;
  const problems: Problem[] = [];
  const abort = search.abort === undefined ? null : abortOf(search.abort);
  if (abort?.method.stops && curveBudget(task) === null)
    problems.push({
      path: ['search', 'abort'],
      expected: 'none, since Perpetua cannot read how far a run is',
      got: `${abort.name}, ${progress ? 'with run.budget.kind reference' : 'without progress'}`,
      todo: progress
        ? 'print the share of the budget (a group named share, or progress.share), or set progress.steps'
        : 'describe under progress how the lines of a run are read, or remove search.abort',
    });
  if (needsKnobs(search.proposer) && knobs.length === 0) {
    const withoutKnobs = proposersThat(({ needs }) => !needs.includes('knobs')).join(' or ');
    problems.push({
      path: ['search', 'proposer'],
      expected: `knobs, since the proposer ${choiceName(search.proposer)} sets them`,
      got: 'no knobs',
      todo: `list knobs (file, name, type, range), or set search.proposer: ${withoutKnobs}`,
    });
  }
  const choice = choiceName(search.proposer) === AUTO ? null : refusedChoice(makersOf(search.proposer), knobs);
  if (choice !== null)
    problems.push({ path: ['search', 'proposer'], expected: 'number knobs', got: 'a choice', todo: '', says: choice });
  const policy = KEEPS[keep.policy];
  if (repeats > 1 && policy.repeatsByItself)
    problems.push({
      path: ['repeats'],
      expected: `1, since keep.policy ${keep.policy} repeats promising candidates by itself`,
      got: describeValue(repeats),
      todo: 'remove repeats, or set keep.policy: strict',
    });
  if (keep.baselineRuns !== undefined && keep.baselineRuns < policy.leastBaselineRuns)
    problems.push({
      path: ['keep', 'baselineRuns'],
      expected:
        `at least ${policy.leastBaselineRuns}, since keep.policy ${keep.policy} measures the noise on the baseline ` +
        `(default: ${policy.baselineRuns})`,
      got: describeValue(keep.baselineRuns),
      todo: 'raise it, or set keep.policy: strict',
    });
  if (budget.trials !== undefined && budget.counts.length === 0)
    problems.push({
      path: ['budget', 'counts'],
      expected: 'at least one kind of trial, since budget.trials is set',
      got: 'an empty list',
      todo: 'remove counts (default: search, injected) or trials',
    });
  return problems;
}

/** True if the proposer needs knobs. `auto` chooses a proposer whose needs are met. */
const needsKnobs = (proposer: Task['search']['proposer']): boolean =>
  choiceName(proposer) !== AUTO && factsOf(proposer).needs.includes('knobs');
