import { expect, test } from 'vitest';
import { secondsByPhase, stretchesOf } from '../../../../../../dashboard/web/pages/research/curve/phase-strip.tsx';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const span = (phase: string, from: number, end: number | null, reason: string | null = null) => ({
  phase,
  reason,
  from: at(from),
  to: end === null ? null : at(end),
});

test('phases fill the strip in their proportions, and equal successive phases are one', () => {
  const stretches = stretchesOf(
    [span('running', 0, 10), span('running', 10, 20), span('paused', 20, 30), span('running', 30, null)],
    at(40),
  );
  expect(stretches.map(({ phase, from, width }) => [phase, from, width])).toEqual([
    ['running', 0, 0.5],
    ['paused', 0.5, 0.25],
    ['running', 0.75, 0.25],
  ]);
  expect(secondsByPhase(stretches)).toEqual([
    ['running', 1800],
    ['paused', 600],
  ]);
});

test('a wait for another reason is another stretch', () => {
  expect(stretchesOf([span('waiting', 0, 5, 'disk'), span('waiting', 5, 9, 'model')], at(9))).toHaveLength(2);
});

test('no phases make no strip', () => {
  expect(stretchesOf([], at(1))).toEqual([]);
});
