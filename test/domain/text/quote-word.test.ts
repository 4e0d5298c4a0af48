import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteWord } from '../../../domain/text/quote-word.ts';

test('an ordinary path stays as it is', () => {
  expect(quoteWord('~/tasks/my-task.v2')).toBe('~/tasks/my-task.v2');
});

test.each(['Bad Name', "it's", '$HOME', 'a;b', '', '*', 'a\nb'])('a shell reads %j back', (word) => {
  expect(execFileSync('sh', ['-c', `printf %s ${quoteWord(word)}`], { encoding: 'utf8' })).toBe(word);
});
