import { describe, expect, it } from 'vitest';
import { statusRows } from '../../../view/rows.ts';
import { describeBest } from '../../../view/rows/best.ts';

const baseline = { value: 1.5, sd: 0.03, n: 10, trusted: true };
const best = {
  trialId: 'toy/4',
  candidateId: 'candidate-of-a-longer-name',
  unmodified: false,
  value: 1.2,
  trusted: true,
};
const metric = { name: 'loss', direction: 'minimize' as const, optimum: null };

describe('the best in words', () => {
  it('has its trial and its gain in sd of one run, positive if better', () => {
    expect(describeBest({ best, baseline, metric, unit: 'bits' })).toBe(
      '1.200 bits  toy/4 · gain +0.300 = +10 sd of one run',
    );
    const rising = { ...metric, direction: 'maximize' as const };
    expect(describeBest({ best, baseline, metric: rising })).toBe('1.200  toy/4 · gain -0.300 = -10 sd of one run');
  });

  it('has no gain without a direction, and no trial or unit if unknown', () => {
    expect(describeBest({ best: { ...best, trialId: null }, baseline })).toBe('1.200  candidate-of');
  });

  it('is the baseline before the first claim, and nothing before its first run', () => {
    const unmoved = { ...best, unmodified: true, value: 1.5 };
    expect(describeBest({ best: unmoved, baseline, metric })).toBe('1.500  the baseline, so far');
    expect(describeBest({ best: unmoved, baseline })).toBe('1.500  the baseline, so far');
    expect(describeBest({ best: null, baseline: null })).toBe('not measured yet');
  });

  it('has its trial but no gain if the baseline failed', () => {
    expect(describeBest({ best, baseline: null, metric })).toBe('1.200  toy/4');
    const part = { best, baseline: null, gain: { raw: null, claim: null } };
    expect(Object.fromEntries(statusRows(part))).toMatchObject({
      gain: 'unknown: there is no baseline',
      baseline: 'none: no run of the unmodified workspace gave a value',
    });
  });

  it('is marked with its knobs if it lies outside the search space', () => {
    const outside = ['LR = 0.0005 (allowed: 0.01 to 1)'];
    expect(describeBest({ best: { ...best, outside }, baseline, metric })).toMatch(
      / one run · outside the search space: LR = 0\.0005 \(allowed: 0\.01 to 1\)$/,
    );
  });

  it('is marked if the candidate could have forged its score', () => {
    expect(describeBest({ best: { ...best, trusted: false }, baseline, metric, unit: 'bits' })).toMatch(
      /^1\.200 bits untrusted {2}toy\/4 · gain /,
    );
  });
});

describe('the distance to the best possible value', () => {
  const known = { best, baseline, metric: { ...metric, optimum: 0.75 } };

  it('is shown with the best if the task states an optimum, as above or below it', () => {
    expect(describeBest(known)).toMatch(/ sd of one run · 0\.450 above the optimum$/);
    const rising = { ...known.metric, direction: 'maximize' as const, optimum: 2 };
    expect(describeBest({ ...known, metric: rising })).toMatch(/ · 0\.800 below the optimum$/);
    expect(describeBest({ ...known, metric })).not.toContain('optimum');
  });
});
