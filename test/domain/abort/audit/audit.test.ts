import { describe, expect, it } from 'vitest';
import { updateCalibration, NOT_AUDITED, decideStrictness } from '../../../../domain/abort/audit/calibration.ts';
import { planAudit, auditProbability, DEFAULT_AUDIT, isAudited } from '../../../../domain/abort/audit/audit-plan.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';

describe('the draw of an audit', () => {
  it('picks every would-be stop at first and 10 % of them after', () => {
    expect([0, 4, 5, 500].map((n) => auditProbability(n, DEFAULT_AUDIT))).toEqual([1, 1, 0.1, 0.1]);
  });

  it('picks all of the first three to five, by the planned trials, unless the task sets audit.first', () => {
    const firsts = (first: 'auto' | number) =>
      [46, 60, 61, 150, 151, null].map((n) => planAudit({ first, share: 0.1 }, n).first);
    expect(firsts('auto')).toEqual([3, 3, 4, 4, 5, 5]);
    expect(firsts(30)).toEqual([30, 30, 30, 30, 30, 30]);
  });

  it('gives the same trials whenever it is repeated, at the share that is set', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `research-1-trial-${i}`);
    const drawn = ids.filter((trialId) => isAudited({ seed: 7, trialId }, 0.05));
    expect(drawn.length / ids.length).toBeGreaterThan(0.045);
    expect(drawn.length / ids.length).toBeLessThan(0.055);
    expect(ids.filter((trialId) => isAudited({ seed: 7, trialId }, 0.05))).toEqual(drawn);
    expect(ids.every((trialId) => isAudited({ seed: 7, trialId }, 1))).toBe(true);
  });
});

describe('the calibration process', () => {
  /**
   * The strictness that the calibration ends with after runs of which half are good. `wishes`: shares of the good and
   * of the bad runs that the rule wants to stop.
   */
  const play = (wishes: { good: number; bad: number }, seed: number, n = 400): number | null => {
    const random = createRandom(seed);
    let state = NOT_AUDITED;
    let wanted = 0;
    for (let i = 0; i < n; i += 1) {
      const good = random.uniform() < 0.5;
      const wish = random.uniform() < wishes[good ? 'good' : 'bad'];
      const probability = wanted < 30 ? 1 : 0.05;
      const seen = !wish || random.uniform() < probability;
      wanted += Number(wish);
      const auditProbability = wish ? probability : null;
      state = updateCalibration(state, { good: seen ? good : null, auditProbability, target: 0.02 });
    }
    return decideStrictness(state, 'matched-time').strictness;
  };
  const offShare = (seeds: number, ...how: [{ good: number; bad: number }, number?]): number =>
    Array.from({ length: seeds }, (_, seed) => play(how[0], seed, how[1])).filter((strictness) => strictness === null)
      .length / seeds;

  it('switches off a rule within its target at most once in twenty, however often it is checked', () => {
    // The rule wants to stop 2 % of the good runs, and 2 % of its would-be stops are good.
    expect(offShare(1000, { good: 0.02, bad: 0.98 })).toBeLessThanOrEqual(0.05);
  });

  it('switches off a rule that aborts a third of the good runs', () => {
    expect(offShare(200, { good: 1 / 3, bad: 0.98 }, 120)).toBeGreaterThan(0.95);
  });

  it('switches off a rule most of whose stops are wrong, though they are few', () => {
    expect(offShare(200, { good: 0.02, bad: 0.01 }, 3000)).toBeGreaterThan(0.9);
  });

  it('weighs shares: three wrong stops among few rare audits weigh more than three among audits of all runs', () => {
    const after = (probability: number): number => {
      const hits = Array.from({ length: 3 }, () => ({ good: true, auditProbability: probability, target: 0.02 }));
      const survivors = Array.from({ length: 120 }, () => ({ good: true, auditProbability: null, target: 0.02 }));
      const right = Array.from({ length: 150 }, () => ({ good: false, auditProbability: 1, target: 0.02 }));
      return [...survivors, ...right, ...hits].reduce(updateCalibration, NOT_AUDITED).largest;
    };
    expect([after(1) < 5, after(0.05) > 20]).toEqual([true, true]);
  });

  it('learns nothing from a bad run that the rule let go on, and from a stopped one only that it counts', () => {
    expect(updateCalibration(NOT_AUDITED, { good: false, auditProbability: null, target: 0.02 })).toBe(NOT_AUDITED);
    const wrong = { good: true, auditProbability: 0.05, target: 0.02 };
    const stopped = { good: null, auditProbability: 0.05, target: 0.02 };
    const evidence = (runs: (typeof stopped | typeof wrong)[]): number =>
      runs.reduce(updateCalibration, NOT_AUDITED).largest;
    expect(evidence([stopped])).toBe(1);
    expect(evidence([stopped, stopped, wrong])).toBeLessThan(evidence([wrong]));
  });

  it('reports its findings, and at once switches off a rule that cannot ask for more evidence', () => {
    const once = updateCalibration(NOT_AUDITED, { good: true, auditProbability: 1, target: 0.02 });
    const seen =
      'it would have stopped 100 % of the good runs (at least 0.7 %), and 100 % of its would-be stops are wrong ' +
      '(at least 0.7 %); estimated from 1 wrong stop, weighted by audit probability, with limits of 95 %';
    expect(decideStrictness(NOT_AUDITED, 'asha')).toEqual({ strictness: 1, note: null });
    expect(decideStrictness(once, 'matched-time')).toEqual({
      strictness: 2,
      note: `early abort now requires twice the evidence: ${seen}`,
    });
    expect(decideStrictness(once, 'asha')).toEqual({
      strictness: null,
      note: `early abort is off: ${seen}; asha has no stricter setting`,
    });
    expect(decideStrictness(once, { name: 'asha', eta: 4 }).note).toContain('; asha {"eta":4} has no stricter setting');
  });
});
