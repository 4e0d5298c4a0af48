import { expect, it } from 'vitest';
import { parseTask } from '../../tasks/parse-task.ts';
import type { TaskError } from '../../tasks/task-error.ts';
import { GOOD } from './make-task.ts';

const put = (old: string, other: string): string => GOOD.replace(old, other);

function refusal(yaml: string): string {
  try {
    parseTask(yaml);
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
}

it.each([
  [
    'a budget of GPU time',
    put('seconds: 2', 'seconds: 2\n    kind: gpu'),
    'task.yaml:8:11 run.budget.kind: expected one of cpu, reference, wall, got the text "gpu"; did you mean wall?',
  ],
  ['a budget by the clock', put('seconds: 2', 'seconds: 2\n    kind: wall-clock'), 'did you mean wall?'],
  [
    'more seconds than a run may have',
    put('seconds: 2', 'seconds: 1e308'),
    'task.yaml:7:14 run.budget.seconds: expected a number above 0 and at most 2592000, got the number 1e+308',
  ],
  [
    'more room than a disk has',
    put('    seconds: 2', '    seconds: 2\n  resources: { diskMb: 9999999999999 }'),
    'task.yaml:8:24 run.resources.diskMb: expected a whole number above 0 and at most 16777216, ' +
      'got the number 9999999999999',
  ],
  [
    'a range without a width',
    `${GOOD}knobs: [{ file: main.js, name: RATE, type: float, range: [-1e308, 1e308] }]\n`,
    'knobs[0].range: expected ends whose difference is finite, got [-1e+308, 1e+308]; narrow the range',
  ],
])('refuses %s by its key, with the fix', (_, yaml, expected) => {
  expect(refusal(yaml)).toContain(expected);
});

it('a refusal has its issues as data beside the message', () => {
  try {
    parseTask(put('seconds: 2', 'secnds: 2\n    seconds: 3'), 'x/task.yaml');
    expect.unreachable();
  } catch (error) {
    expect((error as TaskError).issues).toEqual([
      {
        file: 'x/task.yaml',
        path: 'run.budget.secnds',
        line: 7,
        column: 5,
        expected: 'one of seconds, kind, most',
        got: 'the unknown key secnds',
        nearest: 'seconds',
        todo: 'did you mean seconds?',
        message: 'the key is not known; expected one of seconds, kind, most; did you mean seconds?',
      },
    ]);
  }
});
