import { expect, it } from 'vitest';
import { explain, type Scored } from '../../../domain/explanation/explanation.ts';
import { medianOf } from '../../../domain/explanation/slice.ts';
import { Knob } from '../../../domain/knob/knob.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

const KNOBS = [
  { file: 'a.py', name: 'LR', type: 'float', range: [1e-4, 1], scale: 'log' },
  { file: 'a.py', name: 'ACT', type: 'choice', values: ['relu', 'gelu'] },
  { file: 'a.py', name: 'IDLE', type: 'int', range: [1, 9] },
  { file: 'a.py', name: 'FIXED', type: 'int', range: [1, 9] },
].map((knob) => Knob.parse(knob));

/** Candidates whose value depends on LR, least near .01, and a little on ACT. */
function candidates(n: number, seed = 1): Scored[] {
  const random = createRandom(seed);
  return Array.from({ length: n }, () => {
    const [lr, act] = [10 ** (-4 * random.uniform()), random.below(2)];
    const value = Math.abs(Math.log10(lr) + 2) + 0.1 * act + 0.05 * random.normal();
    const knobs = {
      'a.py:LR': lr,
      'a.py:ACT': ['relu', 'gelu'][act] ?? '',
      'a.py:IDLE': 1 + random.below(9),
      'a.py:FIXED': 3,
    };
    return { knobs, value };
  });
}

it('a knob that decides the value has nearly all importance, and shuffled values seldom give it as much', () => {
  const { knobs, top, lines } = explain(KNOBS, { scored: candidates(300), direction: 'minimize' });
  const [lr, , idle, fixed] = knobs;
  expect(top).toBe(30);
  expect(lr?.share).toBeGreaterThan(0.8);
  expect(lr?.chance).toBeLessThan(0.01);
  const [low = 1, high = 0] = lr?.interval ?? [];
  expect(low).toBeLessThanOrEqual(lr?.share ?? 0);
  expect(high).toBeGreaterThanOrEqual(lr?.share ?? 1);
  expect(Number(lr?.topValues?.from)).toBeGreaterThan(0.003);
  expect(Number(lr?.topValues?.to)).toBeLessThan(0.03);
  expect(idle?.chance).toBeGreaterThan(0.05);
  expect(fixed).toMatchObject({ share: null, without: 'one value only' });
  expect(lines.filter(({ isTop }) => isTop).length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(200);
});

it('the same candidates give the same explanation in any order, for either direction of the metric', () => {
  const scored = candidates(60);
  const one = explain(KNOBS, { scored, direction: 'minimize' });
  expect(explain(KNOBS, { scored: scored.toReversed(), direction: 'minimize' })).toEqual(one);
  const negated = scored.map(({ knobs, value }) => ({ knobs, value: -value }));
  const shares = ({ knobs }: typeof one) => knobs.map(({ share, interval }) => ({ share, interval }));
  expect(shares(explain(KNOBS, { scored: negated, direction: 'maximize' }))).toEqual(shares(one));
});

it('few candidates have no importance, and values outside of the space or missing do not count', () => {
  const few = explain(KNOBS, { scored: candidates(19), direction: 'minimize' });
  expect(few.knobs.map(({ without }) => without)).toEqual(Array(4).fill('too few trials'));
  const scored = candidates(40).map((one, index) =>
    index < 25 ? { ...one, knobs: { ...one.knobs, 'a.py:LR': index < 10 ? 5 : null } } : one,
  );
  expect(explain(KNOBS, { scored, direction: 'minimize' }).knobs[0]).toMatchObject({
    n: 15,
    without: 'too few trials',
  });
});

it('slices show the median of each part, and an interval from six candidates on', () => {
  const { knobs } = explain(KNOBS, { scored: candidates(40), direction: 'minimize' });
  const [lr, act, idle] = knobs.map(({ slice }) => slice);
  expect(lr?.map(({ from }) => from)).toEqual(['0.0001', '0.000464', '0.00215', '0.01', '0.0464', '0.215']);
  expect(act?.map(({ from, to }) => [from, to])).toEqual([
    ['relu', 'relu'],
    ['gelu', 'gelu'],
  ]);
  expect(idle?.reduce((sum, { n }) => sum + n, 0)).toBe(40);
  for (const { n, interval } of [...(lr ?? []), ...(idle ?? [])]) expect(interval === null).toBe(n < 6);
});

it('the interval of a median has the ranks of the sign test', () => {
  const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
  expect(medianOf(upTo(6)).interval).toEqual([1, 6]);
  expect(medianOf(upTo(8)).interval).toEqual([1, 8]);
  expect(medianOf(upTo(9)).interval).toEqual([2, 8]);
  expect(medianOf(upTo(20)).interval).toEqual([6, 15]);
  expect(medianOf(upTo(100)).interval).toEqual([40, 61]);
});
