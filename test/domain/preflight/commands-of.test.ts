import { expect, test } from 'vitest';
import { commandsOf } from '../../../domain/preflight/commands-of.ts';

test('the syntax of Python and JavaScript is checked before the commands of the task, with quoted paths', () => {
  const paths = ['-a.py', "it's.py", 'b.mjs', 'c.js', 'd.txt'];
  expect(commandsOf({ syntax: true, commands: ['make lint'] }, paths)).toEqual([
    { command: `python3 -m py_compile './-a.py' './it'\\''s.py'`, name: 'the syntax check of Python' },
    { command: "node --check './b.mjs' && node --check './c.js'", name: 'the syntax check of JavaScript' },
    { command: 'make lint', name: '"make lint"' },
  ]);
  expect(commandsOf({ syntax: false, commands: [] }, paths)).toEqual([]);
  expect(commandsOf({ syntax: true, commands: [] }, ['d.txt'])).toEqual([]);
});
