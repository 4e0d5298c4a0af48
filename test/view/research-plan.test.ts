import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Task } from '../../domain/task/task.ts';
import { researchPlan } from '../../view/research-plan.ts';

const taskOf = (more: string): Task =>
  Task.parse(
    parse(`
name: a
description: b
mutable: [x]
metric: { name: loss, direction: minimize, from: stdout }
evaluator: { type: none }
run: { command: x, budget: { seconds: 18 } }
${more}`),
  );

test('the plan gives the time until the first verdict, and that of the trials, on the slots', () => {
  const task = taskOf('');
  expect(researchPlan({ task, budgetTrials: 60, slots: 1 })).toEqual([
    'first verdict after 10 runs of the unmodified version, about 3 min (18 s each, 1 at once); ' +
      'they do not count in --budget-trials',
    '60 trials then take about 18 min, without proposals, scoring and runs that confirm',
  ]);
  const [first, rest] = researchPlan({ task, budgetTrials: 60, slots: 4 });
  expect(first).toContain('about 54 s (18 s each, 4 at once)');
  expect(rest).toContain('about 4 min 30 s');
});

test("the plan uses the task's window, baseline runs and budget", () => {
  const task = taskOf(
    'search: { window: 2 }\nkeep: { baselineRuns: 4 }\nbudget: { trials: 1, counts: [search, baseline] }\n',
  );
  const [first, rest] = researchPlan({ task, budgetTrials: null, slots: 8 });
  expect(first).toContain('after 4 runs of the unmodified version, about 36 s (18 s each, 2 at once); they count in');
  expect(rest).toContain('1 trial then takes about 18 s');
});

test('the plan states the rule by which a small budget gets fewer baseline runs', () => {
  const [first, rule] = researchPlan({ task: taskOf(''), budgetTrials: 20, slots: 1 });
  expect(first).toContain('after 5 runs of the unmodified version, about 1 min 30 s');
  expect(rule).toBe(
    '5 runs, since the budget has fewer than 40 trials: a quarter of them, at least 3; ' +
      '10 runs if two of them have equal values',
  );
});

test('without slots and without a limit the plan says so', () => {
  const [first, rest] = researchPlan({ task: taskOf('keep: { policy: strict }'), budgetTrials: null, slots: 0 });
  expect(first).toMatch(/after 1 run of .*, about 18 s \(18 s each, one at a time, since no slot is known yet\)/);
  expect(rest).toBe('no limit of trials: it searches until you stop it; --budget-trials sets one');
});

test('the plan of a control names the gates that are left out, since its learning rate is 0', () => {
  const gates = '[{ metric: gradNorm, above: 10, then: adjust, adjust: { key: lr, by: 0.5 } }]';
  const learning = (update: string) =>
    taskOf(`knobs: [{ file: x, name: lr, type: float, range: [0, 1] }]
search: { proposer: policy, reward: improvement, update: ${update} }
`);
  const last = (update: string) => researchPlan({ task: learning(update), budgetTrials: 9, slots: 1 }).at(-1);
  expect(last(`{ name: grpo, lr: 0, gates: ${gates} }`)).toBe(
    'the policy stays as it is (search.update.lr is 0); gates that adjust lr are left out: gradNorm above 10',
  );
  expect(last('{ name: grpo, lr: 0 }')).toContain('left out: gradNorm above 100, clipShare above 0.5');
  expect(last('grpo')).toContain('9 trials then take');
});

test('the plan says that a cache takes no values, and why', () => {
  const plan = researchPlan({ task: taskOf('search: { cache: true }'), budgetTrials: 60, slots: 1 });
  expect(plan.at(-1)).toMatch(/^search\.cache takes no value of other researches: the task has no environment/);
});
