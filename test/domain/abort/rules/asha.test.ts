import { describe, expect, it } from 'vitest';
import { openRule, type RunningRule } from '../../../../domain/abort/rules.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { BUDGET, configFor, fallingTo, STEPS } from '../support.ts';

describe('asha', () => {
  it('judges a run at a rung even if its lines come far apart', () => {
    let rule = openRule('asha', configFor('minimize'));
    /** Shares at which a run with a line at each tenth is stopped, with a look at each twentieth. */
    const stopped = (run: string, final: number): number[] =>
      [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45].filter((share) => {
        const points = fallingTo(final).filter(({ step }) => step % 10 === 0 && step <= share * STEPS + 1e-9);
        const step = rule.decide({ points, budget: BUDGET, incumbent: 1, run });
        rule = step.rule;
        return step.decision.abort;
      });
    for (const [run, final] of [
      ['a', 1],
      ['b', 1.1],
      ['c', 1.2],
    ] as const)
      stopped(run, final);
    // At .25 and .45 no new line has come: these looks repeat the one before.
    expect(stopped('bad', 3)).toEqual([0.2, 0.25, 0.4, 0.45]);
    expect(stopped('best', 0.5)).toEqual([]);
  });

  it('lets two of every three runs end at the rungs when runs come in random order', () => {
    let rule = openRule('asha', configFor('minimize'));
    const random = createRandom(3);
    let stopped = 0;
    for (let i = 0; i < 300; i += 1) {
      const step = rule.decide({ points: fallingTo(random.uniform(), { until: 12 }), budget: BUDGET, incumbent: 0 });
      rule = step.rule;
      if (step.decision.abort) stopped += 1;
    }
    expect(stopped / 300).toBeGreaterThan(0.6);
    expect(stopped / 300).toBeLessThan(0.7);
  });

  it('cuts by its own reduction factor', () => {
    const begun = openRule({ name: 'asha', eta: 2 }, configFor('minimize'));
    const at = (rule: RunningRule, final: number, until: number) =>
      rule.decide({ points: fallingTo(final, { until }), budget: BUDGET, incumbent: 0 });
    const withOneRun = at(begun, 1, 26).rule;
    // With eta 2, the better one of two goes on, and the rungs are at 1/4 and 1/2 of the budget. With 3, they are at
    // 1/9 and 1/3.
    expect(at(withOneRun, 2, 26).decision).toMatchObject({
      abort: true,
      reason: expect.stringContaining('best 1 of 2'),
    });
    expect(at(withOneRun, 2, 12).decision.reason).toBe('no rung at 12 %');
    const again = openRule('asha', configFor('minimize'), JSON.parse(JSON.stringify(withOneRun.state)) as unknown);
    expect(at(again, 2, 26).decision).toEqual(at(withOneRun, 2, 26).decision);
  });

  const look = (final: number, until = STEPS) => ({
    points: fallingTo(final, { until }),
    budget: BUDGET,
    incumbent: 0,
  });

  it('restores its rungs from the curves of ended runs, stopped ones included', () => {
    let [lived, begunAnew] = [openRule('asha', configFor('minimize')), openRule('asha', configFor('minimize'))];
    for (let i = 0; i < 30; i += 1) {
      const [run, final] = [`r${i}`, 1 + ((i * 7) % 30) / 30];
      const first = lived.decide({ ...look(final, 12), run });
      const second = first.decision.abort ? first : first.rule.decide({ ...look(final, 34), run });
      let wanted: number | null = null;
      if (first.decision.abort) wanted = 0.12;
      else if (second.decision.abort) wanted = 0.34;
      const { points, budget } = look(final, wanted === null ? STEPS : wanted * STEPS);
      const ended = { points, budget, final: wanted === null ? final : null, run, wanted };
      lived = second.rule.learn(ended);
      begunAnew = begunAnew.learn(ended);
    }
    for (const until of [12, 34])
      for (const final of [0.9, 1.2, 1.6])
        expect(begunAnew.decide(look(final, until)).decision).toEqual(lived.decide(look(final, until)).decision);
  });

  it('counts a run once, though it reaches the rung again or ends after it was noted there', () => {
    let rule = openRule('asha', configFor('minimize'));
    for (let i = 0; i < 3; i += 1) rule = rule.decide({ ...look(1, 12), run: 'again' }).rule;
    rule = rule.learn({ points: fallingTo(1), budget: BUDGET, final: 1, run: 'again' });
    expect(rule.decide({ ...look(9, 12), run: 'last' }).decision.reason).toContain('has 2 runs');
  });

  it('does not count an audited run at rungs that it would not have reached without the audit', () => {
    const rule = openRule('asha', configFor('minimize'));
    const audited = rule.learn({ points: fallingTo(3), budget: BUDGET, final: 3, run: 'audited', wanted: 0.12 });
    expect(audited.decide({ ...look(1, 12), run: 'x' }).decision.reason).toContain('has 2 runs');
    expect(audited.decide({ ...look(1, 34), run: 'x' }).decision.reason).toContain('has 1 run;');
  });

  const begun = (): RunningRule => openRule('asha', configFor('minimize'));

  it('values a run by its curve at the rung, and judges it only when it has just passed the rung', () => {
    let young = begun();
    // These runs were under way when the worker restarted: no rung has noted them.
    for (let i = 0; i < 12; i += 1) {
      const step = young.decide({ ...look(1.3 + i / 100, 80), run: `far${i}` });
      expect(step.decision).toMatchObject({ abort: false, reason: 'no rung at 80 %' });
      young = step.rule;
    }
    // The rungs hold their values at the rung, not their latest values: a better run goes on, a worse one does not.
    expect(young.decide({ ...look(1, 35), run: 'better' }).decision.abort).toBe(false);
    expect(young.decide({ ...look(2, 35), run: 'worse' }).decision.abort).toBe(true);
  });

  it('compares a run with ended ones at the same share, however late the look at it is', () => {
    let rule = begun();
    for (let i = 0; i < 30; i += 1)
      rule = rule.learn({ points: fallingTo(1 + i / 100), budget: BUDGET, final: 1 + i / 100, run: `r${i}` });
    // The curve falls by .3 from the rung at 11 % to the look at 15 %.
    expect(rule.decide({ ...look(1.31, 15), run: 'last' }).decision.abort).toBe(true);
    expect(rule.decide({ ...look(1.05, 15), run: 'sixth' }).decision.abort).toBe(false);
  });

  it('judges a run once at a rung, and at each rung that a look passes', () => {
    let rule = begun();
    for (let i = 0; i < 3; i += 1) rule = rule.learn({ points: fallingTo(1), budget: BUDGET, final: 1, run: `r${i}` });
    const first = rule.decide({ ...look(3, 12), run: 'bad' });
    expect(first.decision.abort).toBe(true);
    expect(first.rule.decide({ ...look(3, 15), run: 'bad' }).decision).toMatchObject({ abort: false });
    expect(first.rule.decide({ ...look(3, 12), run: 'bad' }).decision.abort).toBe(true);
    // Only `before`, the share of the look before, counts: not the cadence.
    const rare = rule.decide({ ...look(3, 25), run: 'rare', lastLookShare: 0.09 });
    expect(rare.decision.abort).toBe(true);
    expect(rule.decide({ ...look(3, 25), run: 'rare', lastLookShare: 0.17 }).decision.abort).toBe(false);
    // A look so late that it passes both rungs: the run is worse at the first and better at the second.
    const wide = openRule('asha', { ...configFor('minimize'), cadence: 0.3 });
    const three = [1, 2, 3].reduce(
      (known, i) => known.learn({ points: fallingTo(1), budget: BUDGET, final: 1, run: `r${i}` }),
      wide,
    );
    const points = fallingTo(0.5, { until: 40 }).map((point) => ({
      ...point,
      value: point.value + (point.step < 20 ? 2 : 0),
    }));
    expect(three.decide({ points, budget: BUDGET, incumbent: 0, run: 'late' }).decision.abort).toBe(true);
  });
});
