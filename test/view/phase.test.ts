import { describe, expect, test } from 'vitest';
import { hasEndedBy, describeOthers } from '../../view/phase.ts';
import { renderServing } from '../../view/serving.ts';

const event = (phase: string) => ({ data: { from: 'running', phase, reason: null } });

test.each([
  ['a stopped research whose end was shown', 'stopped', event('stopped'), true],
  ['a failed research whose end was shown', 'failed', event('failed'), true],
  ['a stopped research without events, of an older version', 'stopped', undefined, true],
  ['a stopped research whose end was not shown yet', 'stopped', event('running'), false],
  ['a research that was started again', 'running', event('stopped'), false],
  ['an unknown research', undefined, undefined, false],
] as const)('%s: the output has shown its end or not', (_, phase, last, shown) => {
  expect(hasEndedBy(phase, last)).toBe(shown);
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
  ])('are named with their phases, the first four of them (%#)', (others, line) => {
    expect(describeOthers(others)).toBe(line);
  });
});

test.each([
  [{ is: 'waiting' }, 'waits for a slot'],
  [{ is: 'starting' }, 'started, not ready yet'],
  [{ is: 'ready', host: 'box', at: '2026-01-02T03:04:05Z' }, 'ready on box since 2026-01-02T03:04:05Z'],
  [{ is: 'pausing', seconds: 1.2 }, 'starts again in 2 s'],
] as const)('the state %j of a server is shown in words', (state, words) => {
  expect(renderServing({ taskName: 'toy', state, last: null })).toBe(`### a server of toy\n- ${words}`);
});

test('the end of the last run of a server is shown below its state', () => {
  const shown = renderServing({ taskName: 'toy', state: { is: 'waiting' }, last: 'ended with exit code 3 on box' });
  expect(shown).toBe('### a server of toy\n- waits for a slot\n- its last run ended with exit code 3 on box');
});
