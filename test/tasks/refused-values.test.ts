import { expect, it } from 'vitest';
import { parseTask } from '../../tasks/parse-task.ts';
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
    'task.yaml:8:11 run.budget.kind: expected one of cpu, reference, wall, came the text "gpu"; did you mean wall?',
  ],
  ['a budget by the clock', put('seconds: 2', 'seconds: 2\n    kind: wall-clock'), 'did you mean wall?'],
  [
    'more seconds than a run may have',
    put('seconds: 2', 'seconds: 1e308'),
    'task.yaml:7:14 run.budget.seconds: expected a number above 0 and at most 2592000, came the number 1e+308',
  ],
  [
    'more room than a disk has',
    put('    seconds: 2', '    seconds: 2\n  resources: { diskMb: 9999999999999 }'),
    'task.yaml:8:24 run.resources.diskMb: expected a whole number above 0 and at most 16777216, came the number 9999999999999',
  ],
  [
    'a range without a width',
    `${GOOD}knobs: [{ file: main.js, name: RATE, type: float, range: [-1e308, 1e308] }]\n`,
    'knobs[0].range: expected ends whose distance is a number, came [-1e+308, 1e+308]; narrow the range',
  ],
])('refuses %s by its key, and says what is meant', (_, yaml, expected) => {
  expect(refusal(yaml)).toContain(expected);
});
