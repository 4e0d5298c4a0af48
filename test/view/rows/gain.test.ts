import { describe, expect, it } from 'vitest';
import { describeGain } from '../../../view/rows.ts';

const raw = { n: 9, candidateId: 'r', value: 1.562, gain: -0.051 };

describe('the gain in words', () => {
  it('is none yet where even the best run of a proposal is worse than the baseline', () => {
    const claim = { candidateId: 'b', value: 1.511, gain: 0, low: 0, high: 0, runs: 10, corrected: false };
    expect(describeGain({ claim, raw }, 0.03)).toBe('none yet');
    expect(describeGain({ claim: null, raw: null }, null)).toBe('none yet');
  });

  it('says whether it was corrected for selection, or is as measured', () => {
    const claim = { candidateId: 'c', value: 1.4, gain: 0.6, low: 0.4, high: 0.8, runs: 12 };
    const raw = null;
    expect(describeGain({ claim: { ...claim, corrected: true }, raw }, 0.1)).toBe(
      '+0.60 (95 %: +0.40 to +0.80) corrected for selection',
    );
    expect(describeGain({ claim: { ...claim, corrected: false }, raw }, 0.1)).toBe(
      '+0.60 (95 %: +0.40 to +0.80) as measured',
    );
  });

  it('names a best run of a proposal that is better, and what it is worth', () => {
    expect(describeGain({ claim: null, raw: { ...raw, value: 1.4, gain: 0.111 } }, 0.03)).toBe(
      'best run of a proposal 1.400 (#9), not confirmed by itself',
    );
  });
});
