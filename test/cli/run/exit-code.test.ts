import { expect, test } from 'vitest';
import { exitCodeOf, whyEnded } from '../../../cli/run/exit-code.ts';
import type { JobEnded } from '../../../domain/job/ended.ts';

const ended = (end: Partial<NonNullable<JobEnded['end']>>, more: Partial<JobEnded> = {}): JobEnded => ({
  ...{ why: 'ended', detail: null, host: 'h' },
  end: { reason: 'exit', exitCode: null, signal: null, seconds: 1, ...end },
  ...more,
});

test('a command that ended by itself has its own exit code, and one that a signal ended 128 and more', () => {
  expect(exitCodeOf(ended({ exitCode: 0 }))).toBe(0);
  expect(exitCodeOf(ended({ exitCode: 7 }))).toBe(7);
  expect(exitCodeOf(ended({ signal: 'SIGSEGV' }))).toBe(139);
});

test.each([
  [ended({ reason: 'memory', signal: 'SIGKILL' }), 'It was ended by a limit of its task: memory.'],
  [ended({ reason: 'killed', signal: 'SIGTERM' }, { why: 'cancelled' }), 'It was stopped.'],
  [
    { why: 'setup-failed', detail: 'no such package', host: null, end: null } as const,
    'Its machine could not be prepared for its task: no such package.',
  ],
])('%j has none, and says why', (of, words) => {
  expect(exitCodeOf(of)).toBeNull();
  expect(whyEnded(of)).toBe(words);
});
