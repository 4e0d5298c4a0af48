import { expect, test } from 'vitest';
import { endingOf } from '../../../domain/job/run-ending.ts';

test.each([
  [{ reason: 'exit', exitCode: 3, signal: null }, 'ended with exit code 3'],
  [{ reason: 'exit', exitCode: null, signal: 'SIGSEGV' }, 'was ended by SIGSEGV'],
  [{ reason: 'memory', exitCode: null, signal: 'SIGKILL' }, 'met its limit: memory'],
  [{ reason: 'killed', exitCode: null, signal: 'SIGTERM' }, 'was killed'],
  [null, 'was lost by its machine'],
])('a run whose end is %j %s', (end, words) => {
  expect(endingOf(end)).toBe(words);
});
