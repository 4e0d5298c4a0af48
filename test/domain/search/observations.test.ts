import { expect, test } from 'vitest';
import { knobValuesIn } from '../../../domain/edit/knob-edit.ts';
import { afterOutcome, type EndedObservation, type Sums } from '../../../domain/search/observations.ts';
import { knobKey } from '../../../domain/knob/knob-value.ts';
import type { Knob } from '../../../domain/knob/knob.ts';

const UNSEEN: Sums = { value: null, runs: 0, outcome: null, seconds: 0, usd: 0 };
const run = (more: Partial<EndedObservation>): EndedObservation => ({
  status: 'completed',
  value: null,
  seconds: 2,
  usd: 0.25,
  ...more,
});
const after = (...runs: Partial<EndedObservation>[]): Sums => runs.map(run).reduce(afterOutcome, UNSEEN);

test('several runs of a candidate give their mean, their number and their cost', () => {
  expect(after({ value: 1 }, { value: 2 }, { value: 6 })).toEqual({
    value: 3,
    runs: 3,
    outcome: 'completed',
    seconds: 6,
    usd: 0.75,
  });
});

test('a failure keeps the mean of the runs before it, and a candidate that only failed has none', () => {
  expect(after({ value: 1 }, { status: 'crashed' })).toMatchObject({ value: 1, runs: 1, outcome: 'crashed' });
  expect(after({ status: 'aborted' })).toMatchObject({ value: null, runs: 0, outcome: 'aborted' });
});

test('a lost run is the outcome only if there is no other, and its cost counts', () => {
  const lost = { status: 'lost', seconds: null } as const;
  expect(after({ value: 1 }, lost)).toMatchObject({ value: 1, outcome: 'completed', seconds: 2, usd: 0.5 });
  expect(after(lost)).toMatchObject({ value: null, outcome: 'lost', seconds: 0 });
  expect(after(lost, { value: 4 })).toMatchObject({ value: 4, outcome: 'completed' });
});

test('a mean of the largest and smallest numbers stays finite', () => {
  const largest = Number.MAX_VALUE;
  expect(after({ value: largest }, { value: largest }, { value: largest }).value).toBeGreaterThan(largest / 2);
  expect(after({ value: largest }, { value: largest }, { value: largest }).value).toBeLessThanOrEqual(largest);
  expect(after({ value: largest }, { value: -largest }).value).toBe(0);
  expect(after({ value: 5e-324 }, { value: 5e-324 }).value).toBeGreaterThanOrEqual(0);
});

test('the knobs of a candidate are those in its files whose value JSON can hold', () => {
  const float: Omit<Extract<Knob, { type: 'float' | 'int' }>, 'file' | 'name'> = {
    type: 'float',
    range: [0, 1],
    scale: 'linear',
  };
  const choice = { type: 'choice', values: ['a', 'b'] } as { type: 'choice'; values: (string | number)[] };
  const knobs: Knob[] = [
    { file: 'a.py', name: 'LR', ...float },
    { file: 'b.py', name: 'LR', ...float },
    { file: 'a.py', name: 'GONE', ...float },
    { file: 'a.py', name: 'KIND', ...choice },
    { file: 'a.py', name: 'LONG', ...choice },
    { file: 'a.py', name: 'HUGE', ...choice },
  ];
  const files = {
    'a.py': `LR = 0.5\nKIND = 'b'\nLONG = '${'x'.repeat(201)}'\nHUGE = 1e999\n`,
    'b.py': 'LR = 0.25\n',
  };
  expect(knobValuesIn(knobs, files)).toEqual({ 'a.py:LR': 0.5, 'b.py:LR': 0.25, 'a.py:KIND': 'b' });
  expect(knobKey({ file: 'a.py', name: 'LR' })).toBe('a.py:LR');
});
