import { describe, expect, test } from 'vitest';
import { reuseObstacle } from '../../../../domain/gate/gate.ts';
import type { GateConfig } from '../../../../domain/gate/types.ts';
import { GateDriver } from '../support.ts';

const reused = (value: number) => ({ value, reused: true });
const obstacleOf = ({ config, state }: GateDriver, value: number): string | null =>
  reuseObstacle(config, state, { candidateId: 'other', value });

describe('a value of another research', () => {
  test('is compared with the lead like a search run, and moves the lead, but claims nothing by itself', () => {
    const gate = new GateDriver().calibrate();
    const { noise, rawBest, effort, claims, searched } = gate.state;
    expect(obstacleOf(gate, 30)).toBeNull();
    gate.feed(reused(30));
    expect(gate.state).toMatchObject({ noise, rawBest, effort, claims, searched: searched + 1, leadId: `c${gate.n}` });
    expect(gate.state.subjects.find(({ candidateId }) => candidateId === gate.state.leadId)).toMatchObject({
      screen: { n: 1, mean: 30 },
      fresh: { n: 0 },
      values: [],
    });
    expect(gate.claims).toEqual([]);
  });

  test('is no value of the race that it leads to, whose runs all take place here', () => {
    const gate = new GateDriver().calibrate();
    gate.feed(reused(30));
    expect(gate.state.races).toMatchObject([{ candidateId: `c${gate.n}`, values: [], controls: [] }]);
    const lead = gate.state.leadId;
    // The runs here find no gain.
    gate.answer(({ candidateId }) => (candidateId === lead ? -0.1 : 0.1) + (gate.n % 3) * 0.3, 40);
    expect(gate.claims).toEqual([]);
    expect(gate.state.incumbentId).toBe('base');
  });

  test('is discarded if it is plainly worse, without a run', () => {
    const gate = new GateDriver().calibrate();
    const wanted = gate.wanted.length;
    expect(gate.feed(reused(-30)).rulings).toMatchObject([{ n: gate.n, verdict: 'discard' }]);
    expect(gate.wanted).toHaveLength(wanted);
  });
});

describe('a value of another research is not taken', () => {
  const exact = (config: Partial<GateConfig> = {}) =>
    new GateDriver({ baselineRuns: 3, ...config }).calibrate([1, 1, 1]);
  test.each<[string, () => GateDriver, number, RegExp]>([
    ['while the baseline is being measured', () => new GateDriver(), 0, /baseline is not measured/],
    ['for a mean over seeds', () => exact({ policy: 'strict', repeats: 3 }), 0, /several seeds/],
    ['by an evaluation', () => exact({ measuresOnly: true }), 0, /evaluation/],
    ['as a strict claim', () => exact({ policy: 'strict' }), 2, /better than the best/],
    ['as a claim without noise', () => exact(), 2, /better than the best/],
  ])('%s', (_name, opened, value, obstacle) => {
    const gate = opened();
    expect(obstacleOf(gate, value)).toMatch(obstacle);
    const before = gate.state;
    const { rulings, claimed } = gate.feed(reused(value));
    expect(rulings).toMatchObject([{ verdict: 'none' }]);
    expect(claimed).toBeNull();
    const { incumbentId, leadId, subjects, held, noise } = before;
    expect(gate.state).toMatchObject({ incumbentId, leadId, subjects, held, noise });
  });

  test('for a candidate with runs of its own', () => {
    const gate = new GateDriver().calibrate();
    gate.feed({ value: 3, candidateId: 'other' });
    expect(obstacleOf(gate, -1)).toMatch(/has runs/);
  });

  test('but a worse one is, without noise, and ends as not better', () => {
    const gate = exact();
    expect(obstacleOf(gate, 0.5)).toBeNull();
    expect(gate.feed(reused(0.5)).rulings).toMatchObject([{ verdict: 'discard' }]);
  });
});
