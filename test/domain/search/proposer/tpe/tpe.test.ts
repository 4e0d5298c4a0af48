import { expect, test } from 'vitest';
import { applyEdits } from '../../../../../domain/edit/apply-edits.ts';
import { knobValuesIn } from '../../../../../domain/edit/knob-edit.ts';
import type { KnobValues } from '../../../../../domain/knob/knob-value.ts';
import type { Knob } from '../../../../../domain/knob/knob.ts';
import { nothingObserved, type Observation, type Observations } from '../../../../../domain/search/observations.ts';
import { groupsOf } from '../../../../../domain/search/proposer/tpe/groups.ts';
import { tpe } from '../../../../../domain/search/proposer/tpe/tpe.ts';
import { spaceOf } from '../../../../../domain/search/proposer/space/set-point.ts';

const file = 'a.py';
const knobs: Knob[] = [
  { file, name: 'LR', type: 'float', range: [0.0001, 1], scale: 'log' },
  { file, name: 'DEPTH', type: 'int', range: [1, 12], scale: 'linear' },
  { file, name: 'OPT', type: 'choice', values: ['sgd', 'adam', 'lion'] },
];
const files = { [file]: "LR = 0.01\nDEPTH = 3\nOPT = 'sgd'\n" };
const DEFAULTS = tpe.settings.parse({});

const seen = (n: number, knobsOf: KnobValues, more: Partial<Observation> = {}): Observation => ({
  candidateId: `c${n}`,
  knobs: knobsOf,
  structure: 's',
  proposer: 'tpe',
  value: n,
  runs: 1,
  outcome: 'completed',
  seconds: 1,
  usd: 0,
  ...more,
});

const valuesAt = (lr: number, depth: number, opt: string): KnobValues => ({
  'a.py:LR': lr,
  'a.py:DEPTH': depth,
  'a.py:OPT': opt,
});

/** Observations, oldest first, as the database gives them. */
function observed(all: readonly Observation[], more: Partial<Observations> = {}): Observations {
  const scored = all.filter(({ value }) => value !== null);
  const sign = more.direction === 'maximize' ? -1 : 1;
  return {
    ...nothingObserved('minimize'),
    best: scored.toSorted((a, b) => sign * ((a.value ?? 0) - (b.value ?? 0))).slice(0, 100),
    latest: [...all].reverse(),
    total: all.length,
    ...more,
  };
}

function drawn(observations: Observations, seed: number): KnobValues {
  const draw = tpe.draw({ knobs, files, seed, observations, structure: 's' }, DEFAULTS);
  if (!draw.ok) return expect.unreachable(draw.reason);
  const after = applyEdits(files, draw.edits, [file]);
  return after.ok ? knobValuesIn(knobs, after.files) : expect.unreachable(after.reason);
}
const draws = (observations: Observations, count = 60): KnobValues[] =>
  Array.from({ length: count }, (_, seed) => drawn(observations, seed));

/** Values are good where LR is near 0.1, DEPTH near 10 and OPT is adam. */
const response = (lr: number, depth: number, opt: string): number =>
  Math.abs(Math.log10(lr) + 1) + Math.abs(depth - 10) / 5 + (opt === 'adam' ? 0 : 1);
const history = draws(nothingObserved('minimize'), 40).map((values, n) => {
  const [lr, depth, opt] = Object.values(values) as [number, number, string];
  return seen(n, values, { value: response(lr, depth, opt) });
});
const mean = (all: readonly KnobValues[]): number =>
  all.map((values) => response(...(Object.values(values) as [number, number, string]))).reduce((a, b) => a + b) /
  all.length;

test('draws evenly before it has ten observations of this structure, and nearer to the good ones afterwards', () => {
  const even = draws(nothingObserved('minimize'));
  expect(draws(observed(history.slice(0, 9)))).toEqual(even);
  expect(draws(observed(history.map((one) => ({ ...one, structure: 'other' }))))).toEqual(even);
  expect(mean(draws(observed(history)))).toBeLessThan(0.7 * mean(even));
});

test('draws the same from the same observations and seed', () => {
  expect(draws(observed(history), 5)).toEqual(draws(observed(history), 5));
});

test('does not change with the scale, the offset and the sign of the metric', () => {
  const scaled = history.map((one) => ({ ...one, value: 1e6 * (one.value ?? 0) + 3e6 }));
  const turned = history.map((one) => ({ ...one, value: -(one.value ?? 0) }));
  expect(draws(observed(scaled), 10)).toEqual(draws(observed(history), 10));
  expect(draws(observed(turned, { direction: 'maximize' }), 10)).toEqual(draws(observed(history), 10));
});

test('a failure is bad, and so is a candidate in flight; a candidate that machines lost is neither', () => {
  const space = spaceOf({ knobs, files });
  const failed = seen(100, valuesAt(0.5, 2, 'lion'), { value: null, outcome: 'crashed' });
  const aborted = seen(101, valuesAt(0.6, 2, 'lion'), { value: null, outcome: 'aborted' });
  const lost = seen(102, valuesAt(0.7, 2, 'lion'), { value: null, outcome: 'lost' });
  const inFlight = [{ candidateId: 'f', knobs: valuesAt(0.8, 2, 'lion'), structure: 's' }];
  const groups = (all: readonly Observation[], more: Partial<Observations> = {}) =>
    groupsOf({ space, observations: observed(all, more), structure: 's' }, { share: 0.1 });
  const before = groups(history);
  const after = groups([...history, failed, aborted, lost], { inFlight });
  expect([before.good.length, before.bad.length, before.seen]).toEqual([4, 36, 40]);
  expect([after.good.length, after.bad.length, after.seen]).toEqual([5, 38 - 1 + 1, 42]);
  const lrs = after.bad.slice(-3).map(([at = 0]) => Number((1e-4 * 1e4 ** at).toPrecision(2)));
  expect(lrs).toEqual([0.5, 0.6, 0.8]);
});

test('at most 25 are good, and the best of long ago stay good', () => {
  const space = spaceOf({ knobs, files });
  const many = Array.from({ length: 2000 }, (_, n) => seen(n, valuesAt(0.1, 1 + (n % 12), 'sgd')));
  const observations = observed(many);
  const { good, bad } = groupsOf(
    { space, observations: { ...observations, latest: observations.latest.slice(0, 1000) }, structure: 's' },
    { share: 0.1 },
  );
  expect([good.length, bad.length]).toEqual([25, 1000]);
});

test('candidates in flight repel the next draw', () => {
  const target = drawn(observed(history), 3);
  const inFlight = Array.from({ length: 30 }, (_, i) => ({ candidateId: `f${i}`, knobs: target, structure: 's' }));
  const isTarget = (values: KnobValues): boolean =>
    values['a.py:OPT'] === target['a.py:OPT'] && values['a.py:DEPTH'] === target['a.py:DEPTH'];
  const near = (observations: Observations): number => draws(observations).filter(isTarget).length;
  expect(near(observed(history, { inFlight }))).toBeLessThan(near(observed(history)));
});

test('draws lie in the space, whatever values earlier candidates have', () => {
  const odd = [
    ...history,
    seen(200, valuesAt(50, 99, 'rmsprop'), { value: -1 }),
    seen(201, { 'a.py:LR': 0.1 }, { value: -2 }),
  ];
  for (const values of draws(observed(odd))) {
    expect(values['a.py:LR']).toBeLessThanOrEqual(1);
    expect(values['a.py:DEPTH']).toBeLessThanOrEqual(12);
    expect(['sgd', 'adam', 'lion']).toContain(values['a.py:OPT']);
  }
});

test('gives the reason if the parent has none of the knobs', () => {
  const draw = tpe.draw(
    { knobs, files: { [file]: 'pass\n' }, seed: 1, observations: nothingObserved('minimize'), structure: 's' },
    DEFAULTS,
  );
  expect(draw).toMatchObject({ ok: false, reason: expect.stringContaining('found none of 3') as unknown });
});
