import { describe, expect, it } from 'vitest';
import { contradictions } from '../../../../domain/task/contradictions.ts';
import { pathText, sentenceOf } from '../../../../domain/issue/problem.ts';
import { Task, type TaskInput } from '../../../../domain/task/task.ts';

const GOOD: TaskInput = {
  name: 'tiny',
  description: 'a tiny task',
  mutable: ['main.js'],
  run: { command: 'node main.js', budget: { seconds: 2 }, artefacts: [{ path: 'out.json' }] },
  metric: { name: 'loss', direction: 'minimize' },
  evaluator: { type: 'artefact', command: 'node score.js' },
};

/** Each problem as one line. */
const problems = (change: Partial<TaskInput>): string[] =>
  contradictions(Task.parse({ ...GOOD, ...change })).map(
    (problem) => `${pathText(problem.path)}: ${sentenceOf(problem)}`,
  );

describe('the paths of a task', () => {
  const cases: [string, Partial<TaskInput>, string][] = [
    [
      'an evaluator in the workspace',
      { evaluator: { type: 'artefact', command: 'x', files: 'workspace/evaluator' } },
      'evaluator.files: expected the workspace and the evaluator in two folders beside each other, ' +
        'got the text "workspace/evaluator", inside the workspace; move the evaluator out: ' +
        'a run can read and change everything in the workspace',
    ],
    [
      'a workspace in the evaluator',
      { workspace: 'evaluator/src' },
      'workspace: expected the workspace and the evaluator in two folders beside each other, ' +
        'got the text "evaluator/src", inside the evaluator; move the workspace out: ' +
        'a run can read and change everything in the workspace',
    ],
    [
      'an inverted glob',
      { mutable: ['*.js', '!main.js'] },
      'mutable[1]: "!main.js" is inverted with !; list exceptions under immutable instead',
    ],
  ];
  it.each(cases)('are refused, and the message names the remedy: %s', (_name, change, message) => {
    expect(problems(change)).toEqual([message]);
  });

  it.each([
    ['../other', ' leads out of the ', 'other'],
    ['/etc', ' is absolute; write', 'etc'],
    ['C:/x', ' is absolute; write', 'x'],
    ['a/../b', ' has .. as a part; write', 'a/b'],
    ['.', ' has an empty part or a dot as a part; write', 'data'],
    ['./a', ' has an empty part or a dot as a part; write', 'a'],
    ['a//b', ' has an empty part or a dot as a part; write', 'a/b'],
    ['a\\b', ' holds a backslash; write', 'a/b'],
    ['~/a', ' starts with ~; write', 'a'],
    ['a\0b', ' holds control characters; write', 'ab'],
  ])('are refused if a key that takes a path has the text %j', (path, why, example) => {
    const changes: [string, Partial<TaskInput>][] = [
      ['workspace', { workspace: path }],
      ['mutable[0]', { mutable: [path] }],
      ['immutable[0]', { immutable: [path] }],
      ['prompt', { prompt: path }],
      ['evaluator.files', { evaluator: { type: 'artefact', command: 'x', files: path } }],
      ['run.artefacts[0].path', { run: { ...GOOD.run, artefacts: [{ path }] } }],
      ['knobs[0].file', { knobs: [{ file: path, name: 'RATE', type: 'float', range: [0.1, 1] }] }],
    ];
    for (const [key, change] of changes) {
      const [first] = problems(change);
      expect(first).toContain(`${key}: "`);
      expect(first).toContain(why);
      expect(first?.endsWith(`, such as ${example}`)).toBe(true);
    }
  });
});
