import { describe, expect, test } from 'vitest';
import { hasEndedBy, describeOthers } from '../../view/phase.ts';
import { renderServing } from '../../view/serving.ts';

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

describe('other researches', () => {
  const of = (...phases: ('running' | 'paused' | 'stopped')[]) => phases.map((phase, k) => ({ id: `r${k}`, phase }));

  test.each([
    [[], null],
    [of('running'), 'r0 running (npx perpetua list)'],
    [
      of('running', 'paused', 'stopped', 'stopped', 'stopped', 'stopped'),
      'r0 running, r1 paused, r2 stopped, r3 stopped, 2 more ended (npx perpetua list)',
    ],
    [
      of('running', 'running', 'running', 'running', 'paused'),
      'r0 running, r1 running, r2 running, r3 running, 1 more (npx perpetua list)',
    ],
  ])('other researches are named with their phases, the first four of them (%#)', (others, line) => {
    expect(describeOthers(others)).toBe(line);
  });
});

test.each([
  [{ is: 'waiting' }, 'waits for a slot'],
  [{ is: 'starting' }, 'started, and has not said yet that it is ready'],
  [{ is: 'ready', host: 'box', at: '2026-01-02T03:04:05Z' }, 'ready on box since 2026-01-02T03:04:05Z'],
  [{ is: 'pausing', seconds: 1.2 }, 'is begun again in 2 s'],
] as const)('a server that is %j says so', (state, words) => {
  expect(renderServing({ taskName: 'toy', state, last: null })).toBe(`### a server of toy\n- ${words}`);
});

test('how its last run ended is shown beside that', () => {
  const shown = renderServing({ taskName: 'toy', state: { is: 'waiting' }, last: 'ended with exit code 3 on box' });
  expect(shown).toBe('### a server of toy\n- waits for a slot\n- its last run ended with exit code 3 on box');
});
