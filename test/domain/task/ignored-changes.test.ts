import { describe, expect, test } from 'vitest';
import { ignoredChanges } from '../../../domain/task/ignored-changes.ts';
import { Task } from '../../../domain/task/task.ts';

const task = (more: object = {}) =>
  Task.parse({
    name: 'toy',
    description: 'a toy',
    mutable: ['train.mjs'],
    run: { command: 'node train.mjs', budget: { seconds: 1 } },
    metric: { name: 'loss', direction: 'minimize' },
    evaluator: { type: 'artefact', command: 'node evaluate.mjs' },
    ...more,
  });
const own = (version: Task, proposer = 'random') => ({ id: 'run', budget: version.budget, proposer });

describe('the changes of a new version that a running research ignores', () => {
  test('are its budget, its proposer and its window, each with the command for it', () => {
    const before = task({ budget: { trials: 10, hours: 2 } });
    const after = task({
      budget: { trials: 20, proposals: 90, slotSeconds: 600, usd: 5 },
      search: { proposer: 'llm', window: 4 },
    });
    expect(ignoredChanges(before, after, own(before))).toEqual([
      'budget.trials 20, budget.proposals 90, budget.hours none, budget.slotSeconds 600, budget.usd 5 (to apply it: ' +
        'npx perpetua budget run --trials 20 --proposals 90 --hours none --slot-seconds 600 --usd 5)',
      'search.proposer llm (to apply it: npx perpetua stop run, then npx perpetua start toy --id run --proposer llm)',
      'search.window 4 (to apply it: npx perpetua window run 4)',
    ]);
  });

  test('exclude the keys that each trial reads again, and the keys that no version has changed', () => {
    const before = task({ budget: { trials: 10 } });
    const after = task({ budget: { trials: 10 }, keep: { policy: 'strict' }, search: { parent: 'best', history: 3 } });
    // A person raised the budget: the task did not change it.
    expect(ignoredChanges(before, after, own(task({ budget: { trials: 99 } })))).toEqual([]);
  });

  test('exclude values that the research has already', () => {
    const after = task({ budget: { trials: 20 }, search: { proposer: 'llm' } });
    expect(ignoredChanges(task(), after, own(after, 'llm'))).toEqual([]);
  });
});
