import { describe, expect, it } from 'vitest';
import { equalErrorRows, EQUAL_HEAD, thinnedGain } from '../../../../bench/abort/equal-error/equal-error.ts';
import { gainAt } from '../../../../bench/abort/equal-error/gain-at.ts';
import { gainRatioRange, type TimedCount } from '../../../../bench/abort/equal-error/gain-ratio-range.ts';

const SETTINGS = [
  { error: 0.3, gain: 4 },
  { error: 0.1, gain: 2 },
  { error: 0, gain: 1.5 },
];

/** Groups of ten cases each, all with the same gain. The first `wrong` groups lose one case. */
const groups = (n: number, gain: number, wrong = 0): TimedCount[] =>
  Array.from({ length: n }, (_, i) => ({ group: `g${i}`, cases: 10, hits: i < wrong ? 1 : 0, whole: gain, used: 1 }));

describe('the gain of the yardstick at a given error', () => {
  it('is interpolated between its settings, up to the boldest', () => {
    expect([0, 0.05, 0.2, 0.3, 0.9].map((error) => gainAt(SETTINGS, error))).toEqual([1.5, 1.75, 3, 4, 4]);
  });
  it('is null if all settings err more', () => {
    expect(gainAt(SETTINGS.slice(0, 2), 0.01)).toBeNull();
    expect(gainAt([], 1)).toBeNull();
  });
  it('is that of the best setting that errs no more, even if a bolder one gains less', () => {
    expect(gainAt([...SETTINGS, { error: 0.05, gain: 1.2 }], 0.05)).toBe(1.5);
  });
});

describe('a rule without a knob', () => {
  it('is thinned to fewer runs until it errs no more', () => {
    const rule = { error: 0.4, gain: 4 };
    expect(thinnedGain(rule, 0.5)).toBe(4);
    // The rule judges a quarter of the runs, each of which then takes a quarter of its time.
    expect(thinnedGain(rule, 0.1)).toBeCloseTo(1 / (0.75 + 0.25 / 4), 10);
    expect(thinnedGain(rule, 0)).toBe(1);
  });
});

describe('the range of the ratio of a gain to that of the yardstick', () => {
  it('has its lower end at the gain of the yardstick at the error bound, though no error was seen', () => {
    const { low, high } = gainRatioRange(groups(40, 3), SETTINGS);
    const bound = 1 - 0.05 ** (1 / 40);
    expect(low).toBeCloseTo(3 / (1.5 + 5 * bound), 6);
    expect(high).toBeCloseTo(3 / 1.5, 10);
  });
  it('narrows as more groups show no error', () => {
    const lows = [10, 100, 1000].map((n) => gainRatioRange(groups(n, 3), SETTINGS).low);
    expect([...lows].sort((a, b) => a - b)).toEqual(lows);
  });
  it('is no narrower with few errors than without any', () => {
    expect(gainRatioRange(groups(40, 3, 1), SETTINGS).low).toBeLessThan(gainRatioRange(groups(40, 3), SETTINGS).low);
  });
  it('spreads with the gain from group to group, and counts the curves of a group as one', () => {
    const uneven = groups(40, 3).map((one, i) => ({ ...one, whole: i % 2 === 0 ? 1 : 5 }));
    const flat = [{ error: 0, gain: 1.5 }];
    const { low, high } = gainRatioRange(uneven, flat);
    // The mean of forty gains is 3 ± 1.645 · 2 / √40.
    expect(Math.abs(low - (3 - 0.52) / 1.5)).toBeLessThan(0.1);
    expect(Math.abs(high - (3 + 0.52) / 1.5)).toBeLessThan(0.1);
    const four = gainRatioRange(
      uneven.map((one, i) => ({ ...one, group: i % 2 === 0 ? `even ${i % 4}` : `odd ${i % 4}` })),
      flat,
    );
    expect(four.low).toBeLessThan(low - 0.2);
    expect(four.high).toBeGreaterThan(high + 0.2);
  });
  it('resamples error and gain together: if losing groups gain more, the yardstick gains more beside them', () => {
    const curves = (more: number) =>
      groups(200, 3, 100).map((one) => ({ ...one, hits: 10 * one.hits, whole: 3 + (one.hits > 0 ? more : -more) }));
    const width = (more: number): number => {
      const { low, high } = gainRatioRange(curves(more), [
        { error: 0, gain: 1 },
        { error: 1, gain: 5 },
      ]);
      return high - low;
    };
    expect(width(1)).toBeLessThan(width(-1));
  });
  it('has no upper end if no setting errs so little, and no ends if there was no case to lose', () => {
    expect(gainRatioRange(groups(40, 3), SETTINGS.slice(0, 2)).high).toBe(Infinity);
    const without = groups(5, 3).map((one) => ({ ...one, cases: 0 }));
    expect(gainRatioRange(without, SETTINGS)).toEqual({ low: NaN, high: NaN });
  });
});

describe('a comparison at equal error', () => {
  const row = (rule: string, error: number, gain: number, audit = '5 %') => ({
    incumbent: 'running',
    rule,
    audit,
    error,
    gain,
  });
  const compared = (result: { counts: TimedCount[]; gain: number; foresight: number; shyest?: number }) => {
    const [line] = equalErrorRows([
      row('perfect foresight', 0, 9, 'none'),
      row('perfect foresight', 0, result.foresight),
      row('best monotone, in hindsight', 0, 5, 'none'),
      row('best monotone, in hindsight', 0, 1.5),
      row('yardstick z = 3', result.shyest ?? 0, 1.5),
      { ...row('matched-time', 0.001, result.gain), counts: result.counts },
      row('asha', 0.04, 2),
      row('median', 0, 1),
    ]);
    return Object.fromEntries(EQUAL_HEAD.map((name, i) => [name, line?.[i]]));
  };

  it('lists the comparisons of the rule with the same audits', () => {
    expect(compared({ counts: groups(400, 1.83), gain: 1.83, foresight: 4 })).toEqual({
      incumbent: 'running',
      audit: '5 %',
      false: '0.0010',
      gain: '1.83',
      yardstick: '1.50',
      times: '1.22',
      'times low': '1.22',
      'times high': '1.22',
      foresight: '4.00',
      share: '0.28',
      monotone: '1.50',
      'of it': '1.66',
      '1.2 times': 'met',
      'best other': 'asha',
      // The error of asha is thinned from 4 % to the goal of 2 %.
      'its gain': (1 / 0.75).toFixed(2),
    });
  });

  const uneven = groups(40, 2).map((one, i) => ({ ...one, whole: i % 2 === 0 ? 1 : 3 }));
  it.each([
    ['met', 'even its low end gains so much', { counts: groups(40, 2), gain: 2, foresight: 4 }],
    ['not shown', 'its low end does not', { counts: uneven, gain: 2, foresight: 4 }],
    ['not shown', 'it does not, and its high end does', { counts: uneven, gain: 1.7, foresight: 4 }],
    ['not shown', 'all settings of the yardstick err more', { counts: uneven, gain: 2, foresight: 4, shyest: 0.01 }],
    ['missed', 'its high end does not, and foresight does', { counts: groups(40, 1.25), gain: 1.25, foresight: 3 }],
    ['out of reach', 'not even foresight does', { counts: groups(40, 1.25), gain: 1.25, foresight: 1.3 }],
    ['errs too much', 'it loses more than it may', { counts: groups(40, 2, 30), gain: 2, foresight: 4 }],
  ])('judges 1.2 times the yardstick as %s if %s', (goal, _, result) => {
    const line = compared(result);
    expect(line['1.2 times']).toBe(goal);
    if ('shyest' in result) expect([line.yardstick, line.times]).toEqual([null, null]);
  });
});
