import { describe, expect, it } from 'vitest';
import type { Audited } from '../../../../domain/abort/audit/counts.ts';
import { estimateErrors } from '../../../../domain/abort/audit/estimate-errors.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';

const audits = (runs: number, wrong: number, probability = 1): Audited[] => [
  { good: true, runs: wrong, probability },
  { good: false, runs: runs - wrong, probability },
];
const stopped = (runs: number, probability = 0.05): Audited => ({ good: null, runs, probability });
const survivors = (runs: number): Audited => ({ good: true, runs, probability: null });

describe('the estimate of false aborts', () => {
  it('cannot show 2 % with few audits, however good they are', () => {
    expect(estimateErrors(audits(30, 0), 0.02)).toMatchObject({ direct: 0, verdict: 'too few to say' });
    expect(estimateErrors(audits(182, 0), 0.02).verdict).toBe('too few to say');
    expect(estimateErrors(audits(183, 0), 0.02).verdict).toBe('wrong stops below target');
    expect(estimateErrors(audits(30, 6), 0.02).verdict).toBe('above target');
    expect(estimateErrors([], 0.02)).toMatchObject({
      direct: null,
      wrongStops: null,
      falseAborts: null,
      low: 0,
      high: 1,
    });
  });

  it('gives an upper limit of the share of wrong stops by few audits, too: 0 wrong of 6 is under 39 %', () => {
    expect(estimateErrors(audits(6, 0), 0.02).under).toBeCloseTo(0.393, 3);
    expect(estimateErrors(audits(6, 1), 0.02).under).toBeCloseTo(0.582, 3);
    expect(estimateErrors([], 0.02).under).toBe(1);
  });

  it('weighs a rare audit by the inverse of its probability', () => {
    const { wrongStops, falseAborts } = estimateErrors([...audits(3, 1, 0.05), ...audits(20, 0), survivors(20)], 0.02);
    expect(wrongStops).toBeCloseTo(20 / 80, 10);
    expect(falseAborts).toBeCloseTo(20 / 40, 10);
  });

  it('is unbiased: the weighted shares converge to the true ones, the direct rate does not', () => {
    const random = createRandom(3);
    const runs: Audited[] = [];
    for (let i = 0; i < 60_000; i += 1) {
      const probability = i < 2000 ? 1 : 0.05;
      const good = random.uniform() < 0.5;
      // The rule does not err while all runs are audited.
      const errorRate = i < 2000 ? 0 : 0.3;
      const wanted = random.uniform() < (good ? errorRate : 0.6);
      if (!wanted) runs.push({ good, probability: null });
      else runs.push({ good: random.uniform() < probability ? good : null, probability });
    }
    const { direct, wrongStops, falseAborts } = estimateErrors(runs, 0.02);
    expect(falseAborts).toBeCloseTo(0.29, 1);
    expect(wrongStops).toBeGreaterThan(0.29);
    expect(wrongStops).toBeLessThan(0.36);
    expect(direct).toBeLessThan(0.26);
  });

  it('is above its target if the lower limit of the weighted share is, though the direct rate shows nothing', () => {
    const runs = [...audits(30, 0), ...audits(10, 3, 0.05), stopped(190), survivors(40)];
    const found = estimateErrors(runs, 0.02);
    expect(found).toMatchObject({ direct: 3 / 40, verdict: 'above target' });
    expect(found.low).toBeLessThan(0.02);
    expect(found.wrongStops).toBeCloseTo(60 / 230, 10);
    expect(found.wrongStopsLow).toBeGreaterThan(0.02);
    expect(found.falseAborts).toBeCloseTo(60 / 100, 10);
    expect(found.falseAbortsLow).toBeGreaterThan(0.02);
  });

  it('is not above its target if only the direct rate is, because of early audits of all runs', () => {
    const found = estimateErrors([...audits(30, 4), ...audits(10, 0, 0.05), stopped(190), survivors(300)], 0.02);
    expect(found.low).toBeGreaterThan(0.02);
    expect(found.wrongStops).toBeCloseTo(4 / 230, 10);
    expect(found).toMatchObject({ verdict: 'too few to say' });
  });

  it('is above its target if good runs are lost, though nearly all stopped runs are bad', () => {
    const found = estimateErrors([...audits(2000, 10), survivors(20)], 0.02);
    expect(found.high).toBeLessThan(0.02);
    expect(found).toMatchObject({ verdict: 'above target' });
  });

  it('is not below its target while would-be stops of one kind were hardly audited', () => {
    const many = audits(200, 0);
    expect(estimateErrors(many, 0.02).verdict).toBe('wrong stops below target');
    expect(estimateErrors([...many, ...audits(2, 0, 0.05), stopped(38)], 0.02).verdict).toBe('too few to say');
    expect(estimateErrors([...many, stopped(40)], 0.02).verdict).toBe('too few to say');
    expect(estimateErrors([...many, ...audits(300, 0, 0.05), stopped(5700)], 0.02).verdict).toBe(
      'wrong stops below target',
    );
  });

  it('cannot judge the loss of good runs by few that end well, though hardly any stop is wrong', () => {
    const found = (good: number) => estimateErrors([...audits(200, 0), survivors(good)], 0.02);
    // U = 1 - .025 ** (1 / 200)
    expect(found(10).falseAbortsHigh).toBeCloseTo((200 * 0.018275) / (200 * 0.018275 + 10), 4);
    expect(found(10).verdict).toBe('wrong stops below target');
    expect(found(179).verdict).toBe('wrong stops below target');
    expect(found(180).verdict).toBe('below target');
    expect(found(0).falseAbortsHigh).toBe(1);
  });
});
