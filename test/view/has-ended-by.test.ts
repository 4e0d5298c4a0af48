import { expect, test } from 'vitest';
import { hasEndedBy } from '../../view/phase.ts';

const event = (phase: string) => ({ data: { from: 'running', phase, reason: null } });

test.each([
  ['the event of its end was shown', 'stopped', event('stopped'), true],
  ['it failed, and the event of that was shown', 'failed', event('failed'), true],
  ['none of its phases was shown: an older version ended it', 'stopped', undefined, true],
  ['the event of its end is held back', 'stopped', event('running'), false],
  ['it was started again', 'running', event('stopped'), false],
  ['it is not known', undefined, undefined, false],
] as const)('where %s, the end of a research was seen or not', (_, phase, last, seen) => {
  expect(hasEndedBy(phase, last)).toBe(seen);
});
