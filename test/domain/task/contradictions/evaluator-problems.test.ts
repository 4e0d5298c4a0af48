import { describe, expect, it, test } from 'vitest';
import { REACH_MODEL } from '../../../../domain/attack/attacks/secrets.ts';
import type { Target } from '../../../../domain/attack/attack.ts';
import { evaluatorLlmOf } from '../../../../domain/schema/evaluator.ts';
import { pathText } from '../../../../domain/issue/problem.ts';
import { contradictions } from '../../../../domain/task/contradictions.ts';
import { Task, type TaskInput } from '../../../../domain/task/task.ts';

const taskWith = (evaluator: object, run: object = {}): Task =>
  Task.parse({
    name: 'tiny',
    description: 'a tiny task',
    mutable: ['main.js'],
    run: { command: 'node main.js', budget: { seconds: 2 }, artefacts: [{ path: 'out.json' }], ...run },
    metric: { name: 'loss', direction: 'minimize' },
    evaluator: { type: 'artefact', command: 'node score.js', ...evaluator },
  } as TaskInput);

const pathsOf = (task: Task): string[] => contradictions(task).map(({ path }) => pathText(path));

describe('an evaluator that asks a model', () => {
  it('has limits for each scoring, and none without the key', () => {
    expect(evaluatorLlmOf(taskWith({}).evaluator)).toBeNull();
    expect(evaluatorLlmOf(taskWith({ llm: false }).evaluator)).toBeNull();
    expect(evaluatorLlmOf(taskWith({ llm: true }).evaluator)).toEqual({ calls: 50, tokens: 1_000_000 });
    expect(evaluatorLlmOf(taskWith({ llm: { usd: 1, model: 'm' } }).evaluator)).toEqual({
      model: 'm',
      calls: 50,
      tokens: 1_000_000,
      usd: 1,
    });
    expect(() => taskWith({ llm: { calls: 0 } })).toThrow('calls');
  });

  it.each([
    [{ llm: true }, {}, []],
    [{ llm: true, network: true }, {}, ['evaluator.network']],
    [{ llm: false, network: true }, { sandbox: 'none' }, []],
    [{ llm: { calls: 1 } }, { sandbox: 'none' }, ['run.sandbox']],
    [{ llm: true }, { sandbox: 'preferred' }, []],
  ])('is alone with its way to the model: %j, run %j', (evaluator, run, paths) => {
    expect(pathsOf(taskWith(evaluator, run))).toEqual(paths);
  });
});

test('an attack tries to reach the model if the evaluator asks one', () => {
  const target = (evaluator: object) => ({ task: taskWith(evaluator) }) as unknown as Target;
  expect(REACH_MODEL.unfit?.(target({}))).toBe('its evaluator asks no model');
  expect(REACH_MODEL.unfit?.(target({ llm: true }))).toBeNull();
  expect(REACH_MODEL.acts(target({ llm: true })).begin).toContain('connect 8080');
});
