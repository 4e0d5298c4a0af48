import { expect, it } from 'vitest';
import { triedBefore } from '../../../domain/prompt/seen-words.ts';

const seen = { n: 7, status: 'completed', failure: null, value: null } as const;

it.each([
  [{ ...seen, value: 2.634 }, 'which gave bpc 2.634.'],
  [{ ...seen, status: null }, 'which is still running.'],
  [
    { ...seen, status: 'aborted', failure: { label: 'cannot-win', message: 'stopped at 35 %, forecast 2.9' } },
    'which was stopped early, result unknown: stopped at 35 %, forecast 2.9.',
  ],
  [
    { ...seen, status: 'crashed', failure: { label: 'exit-code', message: 'exit code 1: TypeError: x' } },
    'which failed: the program ended with an error: exit code 1: TypeError: x.',
  ],
] as const)('tells what became of a known candidate', (what, words) => {
  expect(triedBefore(what, 'bpc')).toBe(
    `tried before: these edits give the same files as trial 7, ${words} Propose something else.`,
  );
});
