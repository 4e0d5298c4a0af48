import { expect, test } from 'vitest';
import { describeOthers } from '../../view/phase.ts';

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
