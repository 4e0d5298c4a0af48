import { expect, test } from 'vitest';
import { mutableFiles } from '../../../activities/run/run-spec.ts';

const original = (path: string, text: string, executable = false) => ({ path, content: Buffer.from(text), executable });
const laid = (originals: ReturnType<typeof original>[], candidate: Record<string, string>) =>
  mutableFiles(originals, candidate).map(({ path, content, executable }) => [
    path,
    Buffer.from(content).toString(),
    executable,
  ]);

test("a run has the candidate's text of each mutable file, with the mode of the original", () => {
  const originals = [original('deep/tool.sh', 'old', true), original('main.py', 'old')];
  expect(laid(originals, { 'deep/tool.sh': 'new', 'main.py': 'other' })).toEqual([
    ['deep/tool.sh', 'new', true],
    ['main.py', 'other', undefined],
  ]);
});

test('a command of a person has the originals', () => {
  expect(laid([original('tool.sh', 'old', true)], {})).toEqual([['tool.sh', 'old', true]]);
});

test('a candidate of an older version has the original of what was not mutable then, and keeps what is not mutable now', () => {
  expect(laid([original('new.py', 'of the task')], { 'old.py': 'of the candidate' })).toEqual([
    ['new.py', 'of the task', undefined],
    ['old.py', 'of the candidate', undefined],
  ]);
});
