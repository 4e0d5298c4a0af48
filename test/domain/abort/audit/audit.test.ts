import { describe, expect, it } from 'vitest';
import { afterRun, NOT_AUDITED, trust } from '../../../../domain/abort/audit/calibration.ts';
import { estimate, type Audited } from '../../../../domain/abort/audit/estimate.ts';
import { auditProbability, DEFAULT_AUDIT, isAudited } from '../../../../domain/abort/audit/lot.ts';
import { createRandom } from '../../../../domain/random.ts';

describe('the lot of an audit', () => {
  it('falls on everything at first and on 5 % after 30', () => {
    expect([0, 29, 30, 500].map((n) => auditProbability(n, DEFAULT_AUDIT))).toEqual([1, 1, 0.05, 0.05]);
  });

  it('is the same whenever it is drawn, and as frequent as it should be', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `research-1-trial-${i}`);
    const drawn = ids.filter((trialId) => isAudited({ seed: 7, trialId }, 0.05));
    expect(drawn.length / ids.length).toBeGreaterThan(0.045);
    expect(drawn.length / ids.length).toBeLessThan(0.055);
    expect(ids.filter((trialId) => isAudited({ seed: 7, trialId }, 0.05))).toEqual(drawn);
    expect(ids.every((trialId) => isAudited({ seed: 7, trialId }, 1))).toBe(true);
  });
});

describe('the estimate of false aborts', () => {
  const audits = (n: number, wrong: number, probability = 1): Audited[] =>
    Array.from({ length: n }, (_, i) => ({ good: i < wrong, probability }));

  it('cannot show 2 % with few audits, however good they are', () => {
    expect(estimate(audits(30, 0), 0.02)).toMatchObject({ direct: 0, verdict: 'too few to say' });
    expect(estimate(audits(183, 0), 0.02).verdict).toBe('below target');
    expect(estimate(audits(30, 6), 0.02).verdict).toBe('above target');
    expect(estimate([], 0.02)).toMatchObject({ direct: null, falseAborts: null, low: 0, high: 1 });
  });

  it('weighs a rare audit by the inverse of its probability', () => {
    const survivors: Audited[] = Array.from({ length: 20 }, () => ({ good: true, probability: null }));
    expect(estimate([...audits(1, 1, 0.05), ...survivors], 0.02).falseAborts).toBeCloseTo(0.5, 10);
  });

  it('is unbiased: the weighted share finds the true one', () => {
    const random = createRandom(3);
    const runs: Audited[] = [];
    for (let i = 0; i < 60_000; i += 1) {
      const wanted = random.uniform() < 0.3; // of good runs
      const probability = i < 30 ? 1 : 0.05;
      if (!wanted) runs.push({ good: true, probability: null });
      else if (random.uniform() < probability) runs.push({ good: true, probability });
    }
    expect(estimate(runs, 0.02).falseAborts).toBeCloseTo(0.3, 1);
  });
});

describe('the calibration process', () => {
  /** Plays good runs of which a share is wanted away; what the largest evidence asks for in the end. */
  const play = (share: number, seed: number, n = 300): number | null => {
    const random = createRandom(seed);
    let state = NOT_AUDITED;
    for (let i = 0; i < n; i += 1) {
      const probability = i < 30 ? 1 : 0.05;
      const wanted = random.uniform() < share;
      if (wanted && random.uniform() >= probability) continue; // aborted: never seen
      state = afterRun(state, { good: true, auditProbability: wanted ? probability : null, target: 0.02 });
    }
    return trust(state, 'matched-time').strictness;
  };

  it('switches off a rule within its target at most once in twenty, however often it is looked at', () => {
    const off = Array.from({ length: 2000 }, (_, seed) => play(0.02, seed)).filter((strictness) => strictness === null);
    expect(off.length / 2000).toBeLessThanOrEqual(0.05);
  });

  it('switches off a rule that aborts a third of the good runs', () => {
    const off = Array.from({ length: 200 }, (_, seed) => play(1 / 3, seed, 60)).filter(
      (strictness) => strictness === null,
    );
    expect(off.length / 200).toBeGreaterThan(0.95);
  });

  it('learns nothing from runs that ended badly, and says what it saw', () => {
    expect(afterRun(NOT_AUDITED, { good: false, auditProbability: 1, target: 0.02 })).toBe(NOT_AUDITED);
    const once = afterRun(NOT_AUDITED, { good: true, auditProbability: 1, target: 0.02 });
    expect(trust(once, 'matched-time')).toEqual({
      strictness: 2,
      note: 'early abort asks for twice the evidence: 1 of 1 runs that ended well would have been aborted',
    });
  });

  it('switches a rule off at once that cannot ask for more evidence, and says that', () => {
    const once = afterRun(NOT_AUDITED, { good: true, auditProbability: 1, target: 0.02 });
    expect(trust(NOT_AUDITED, 'asha')).toEqual({ strictness: 1, note: null });
    expect(trust(once, 'asha')).toEqual({
      strictness: null,
      note: 'early abort is off: 1 of 1 runs that ended well would have been aborted, and asha cannot ask for more evidence',
    });
  });
});
