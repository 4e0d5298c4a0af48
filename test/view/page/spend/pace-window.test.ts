import { expect, test } from 'vitest';
import { paceWindow } from '../../../../view/page/spend/pace-window.ts';

const day = (hour: number): Date => new Date(Date.UTC(2026, 10, 1, hour));
const span = (phase: string, begin: number, end: number | null) => ({
  phase,
  reason: null,
  from: day(begin).toISOString(),
  to: end === null ? null : day(end).toISOString(),
});

test('the pace is measured from the first proposal on, and over the last 24 hours at most', () => {
  const phases = [span('running', 0, null)];
  expect(paceWindow({ firstProposalAt: day(5), phases }, day(8))).toEqual({ from: day(5), hours: 3 });
  expect(paceWindow({ firstProposalAt: day(5), phases }, day(40))).toEqual({ from: day(16), hours: 24 });
  expect(paceWindow({ firstProposalAt: null, phases }, day(40))).toBeNull();
});

test('pauses and the time after an end do not count, nor do those before the window', () => {
  const phases = [
    span('paused', 10, 20),
    span('running', 20, 30),
    span('stopped', 30, 33),
    span('running', 33, 39),
    span('paused', 39, null),
  ];
  // From hour 16 on: four hours paused, three stopped, and one paused up to now.
  expect(paceWindow({ firstProposalAt: day(5), phases }, day(40))).toEqual({ from: day(16), hours: 16 });
});
