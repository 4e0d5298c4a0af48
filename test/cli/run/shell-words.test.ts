import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellLine } from '../../../cli/run/shell-words.ts';

test.each([[['a word', "it's", '"', '$HOME', '', '*', '\\', 'two\nlines']], [['--x=1', 'plain/path']]])(
  'a shell reads %j as the words that they were',
  (words) => {
    const said = execFileSync('sh', ['-c', shellLine(['printf', '%s\\0', ...words])], { encoding: 'utf8' });
    expect(said.split('\0').slice(0, -1)).toEqual(words);
  },
);

test('a single word is a line of the shell', () => {
  expect(shellLine(['echo a | tr a b'])).toBe('echo a | tr a b');
});
