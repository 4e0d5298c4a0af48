import { describe, expect, it } from 'vitest';
import { contradictions } from '../../../domain/task/contradictions.ts';
import { pathText } from '../../../domain/issue/problem.ts';
import { Task, type TaskInput } from '../../../domain/task/task.ts';

const GOOD: TaskInput = {
  name: 'tiny',
  description: 'a tiny task',
  mutable: ['main.js'],
  run: { command: 'node main.js', budget: { seconds: 2 }, artefacts: [{ path: 'out.json' }] },
  metric: { name: 'loss', direction: 'minimize' },
  evaluator: { type: 'artefact', command: 'node score.js' },
};
const none = { evaluator: { type: 'none' } } as const;

/** Each problem as one line. */
const problems = (change: Partial<TaskInput>): string[] =>
  contradictions(Task.parse({ ...GOOD, ...change })).map(
    ({ path, expected, got, todo }) => `${pathText(path)}: expected ${expected}, got ${got}; ${todo}`,
  );

describe('the direction of curves', () => {
  it('is that of a loss for another quantity than the metric, unless the task states it', () => {
    const score = { name: 'score', direction: 'maximize' } as const;
    const loss = 'step (?<step>\\d+) loss (?<value>\\S+)';
    for (const abort of ['matched-time', 'none', 'asha'] as const) {
      const rest = { progress: { pattern: loss, steps: 10 }, search: { abort } };
      expect(problems(rest)).toEqual([]);
      expect(problems({ ...rest, metric: score })).toHaveLength(abort === 'asha' ? 1 : 0);
      expect(problems({ ...rest, metric: score, progress: { ...rest.progress, direction: 'minimize' } })).toEqual([]);
    }
    const printed = { pattern: 'step (?<step>\\d+) score (?<value>\\S+)', direction: 'maximize' } as const;
    expect(problems({ metric: score, progress: { ...printed, steps: 10 }, search: { abort: 'asha' } })).toEqual([]);
  });

  it('is accepted as stated, even if the lines seem to contradict it', () => {
    const val = (before: string): string => `${before} val=(?<value>\\S+)`;
    const metric = { name: 'quality', direction: 'maximize', from: 'stdout', pattern: val('final') } as const;
    for (const direction of ['minimize', 'maximize'] as const)
      expect(problems({ ...none, metric, progress: { pattern: val('step (?<step>\\d+)'), direction } })).toEqual([]);
  });

  const cases: [string, Partial<TaskInput>, string][] = [
    [
      'a printed score without a stated direction',
      {
        metric: { name: 'score', direction: 'maximize' },
        progress: { format: 'json', value: 'score' },
      },
      'progress.direction: expected minimize or maximize, since progress lines seem to carry score, ' +
        'which is to be maximized, got nothing, which is minimize; ' +
        'set it to the direction in which the printed values improve',
    ],
    [
      'a score that a pattern reads, without a stated direction',
      {
        metric: { name: 'score', direction: 'maximize' },
        progress: { pattern: '^step=(?<step>\\d+)\\s+Score:\\s*(?<value>\\S+)$' },
      },
      'progress.direction: expected minimize or maximize, since progress lines seem to carry score, ' +
        'which is to be maximized, got nothing, which is minimize; ' +
        'set it to the direction in which the printed values improve',
    ],
    [
      'a score of another name that both patterns read',
      {
        ...none,
        metric: { name: 'quality', direction: 'maximize', from: 'stdout', pattern: 'final acc=(?<value>\\S+)' },
        progress: { pattern: 'step (?<step>\\d+) acc=(?<value>\\S+)' },
      },
      'progress.direction: expected minimize or maximize, since progress lines seem to carry acc, ' +
        'which is to be maximized, got nothing, which is minimize; ' +
        'set it to the direction in which the printed values improve',
    ],
    ...(['median', 'asha', 'power-law-sprt', 'power-law-sprt-corrected'] as const).map(
      (abort): [string, Partial<TaskInput>, string] => [
        `curves of an unknown direction under ${abort}`,
        {
          metric: { name: 'score', direction: 'maximize' },
          progress: { pattern: 'step (?<step>\\d+) (?<value>\\S+)', steps: 10 },
          search: { abort },
        },
        `progress.direction: expected minimize or maximize, since score is to be maximized and ${abort} keeps ` +
          'the runs whose curves look better, got nothing, which is minimize; ' +
          'set it to the direction in which the printed values improve',
      ],
    ),
  ];
  it.each(cases)('is required for %s', (_, change, problem) => expect(problems(change)).toEqual([problem]));
});
