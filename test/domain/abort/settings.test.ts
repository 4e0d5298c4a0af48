import { describe, expect, it } from 'vitest';
import { openRule } from '../../../domain/abort/rules.ts';
import { abortSettings } from '../../../domain/abort/settings.ts';
import type { AbortConfig, CurvePoint } from '../../../domain/abort/types.ts';
import { Task, type TaskInput } from '../../../domain/task/task.ts';
import { BUDGET, configFor, fallingTo, STEPS } from './support.ts';

const settingsOf = (abort: TaskInput['abort'], search: TaskInput['search'] = {}) =>
  abortSettings(
    Task.parse({
      name: 'tiny',
      description: 'falling curves',
      mutable: ['train.mjs'],
      run: { command: 'node train.mjs', budget: { seconds: 60 }, artefacts: [{ path: 'out.json' }] },
      metric: { name: 'accuracy', direction: 'maximize' },
      progress: { pattern: '^step (?<step>\\d+) loss (?<value>\\S+)$', steps: STEPS },
      evaluator: { type: 'artefact', command: 'node evaluate.mjs' },
      abort,
      search,
    }),
    null,
  );

it('passes on the early abort settings of a task', () => {
  const limits = { errorTarget: 0.05, burnIn: 0.3, cadence: 0.2 };
  const audit = { first: 7, share: 0.5 };
  expect(settingsOf({ ...limits, audit })).toEqual({
    rule: 'matched-time',
    choice: 'matched-time',
    config: { ...limits, direction: 'maximize', curveDirection: 'minimize' },
    audit,
    carries: true,
    budget: BUDGET,
  });
});

it('passes on the settings of the rule itself', () => {
  expect(settingsOf({}, { abort: { name: 'asha', eta: 4 } })).toMatchObject({
    rule: 'asha',
    choice: { name: 'asha', eta: 4 },
  });
});

describe('a setting changes the decision', () => {
  const far = fallingTo(5);
  /** A run that looks like any other up to a tenth of the budget, and is then far behind. */
  const late = fallingTo(1).map((point) => ({ ...point, value: point.value + (point.step > 10 ? 4 : 0) }));
  /** A run further behind than every known run but the worst. */
  const doubtful = fallingTo(1.2);

  function aborts(settings: Partial<AbortConfig>, points: readonly CurvePoint[]): boolean {
    let rule = openRule('matched-time', { ...configFor('minimize'), ...settings });
    for (let i = 0; i < 60; i += 1) {
      const final = 1 + ((i * 7) % 60) / 60;
      rule = rule.learn({ points: fallingTo(final, { noise: 0.3, seed: i + 1 }), budget: BUDGET, final });
    }
    return rule.decide({ points, budget: BUDGET, incumbent: 1 }).decision.abort;
  }

  it.each([
    ['a longer burn-in waits', { burnIn: 0.1 }, { burnIn: 0.3 }, far.slice(0, 25)],
    ['a larger cadence looks too rarely to stop it yet', { cadence: 0.05 }, { cadence: 0.5 }, late.slice(0, 30)],
    ['a smaller target asks for more evidence', { errorTarget: 1 / 15 }, { errorTarget: 0.02 }, doubtful.slice(0, 50)],
  ])('%s', (_, bold, shy, points) => {
    expect([aborts(bold, points), aborts(shy, points)]).toEqual([true, false]);
  });
});
