import { describe, expect, test } from 'vitest';
import { baseline, claimBasis } from '../../../domain/gate/gate.ts';
import { findSubject } from '../../../domain/gate/subject.ts';
import { CONFIG, GateDriver } from './support.ts';

/** Numbers of a gate that a new candidate changes, whatever its value. */
const countsOf = ({ state }: GateDriver) => ({
  searched: state.searched,
  sinceMove: state.sinceMove,
  account: state.account,
  prior: state.prior.n,
  candidates: state.subjects.length,
});
const copyOf = (candidateId: string, value: number | null) => ({ candidateId, value, copy: true });

describe('a further search run of a known candidate', () => {
  test('adds to the estimate of a candidate under comparison, and counts as no candidate', () => {
    const gate = new GateDriver().calibrate();
    gate.feed({ candidateId: 'c', value: 2.5 });
    const before = countsOf(gate);
    expect(findSubject(gate.state, 'c')?.fresh.n).toBe(0);
    gate.feed(copyOf('c', 2.7));
    expect(findSubject(gate.state, 'c')?.fresh).toMatchObject({ n: 1, mean: 2.7 });
    expect(countsOf(gate)).toMatchObject({ searched: before.searched, account: before.account });
    expect(gate.state.subjects.filter(({ candidateId }) => candidateId === 'c')).toHaveLength(1);
    expect(gate.verdictOf(gate.n)).toMatchObject({ verdict: 'none', reason: expect.stringContaining('adds to its') });
  });

  test('brings no candidate back that is out, however good its value', () => {
    const gate = new GateDriver().calibrate();
    gate.feed({ candidateId: 'out', value: -5 });
    expect(findSubject(gate.state, 'out')).toBeUndefined();
    const before = countsOf(gate);
    const wanted = gate.wanted.length;
    gate.feed(copyOf('out', 9));
    expect(countsOf(gate)).toEqual(before);
    expect(gate.wanted).toHaveLength(wanted);
    expect(gate.state.probes).toEqual([]);
    expect(gate.verdictOf(gate.n)).toMatchObject({ verdict: 'none', reason: expect.stringContaining('is out') });
    // A leaderboard of single runs shows it, as it shows any run.
    expect(gate.state.rawBest).toMatchObject({ candidateId: 'out', value: 9 });
  });

  test('waits for the baseline with its candidate, which is judged once', () => {
    const gate = new GateDriver();
    gate.feed({ candidateId: 'early', value: 2 });
    gate.feed(copyOf('early', 2.2));
    gate.feed({ candidateId: 'other', value: 1.5 });
    gate.feed(copyOf('unseen', 3));
    expect(gate.state.held.map(({ candidateId }) => candidateId)).toEqual(['early', 'early', 'other']);
    gate.calibrate();
    expect(gate.state.held).toEqual([]);
    expect(gate.state.searched).toBe(2);
    const early = findSubject(gate.state, 'early');
    expect([early?.screen.n, early?.fresh.n, early?.ofTrial]).toEqual([1, 1, 1]);
    expect(findSubject(gate.state, 'unseen')).toBeUndefined();
  });

  test('of the unmodified version adds to the baseline', () => {
    const gate = new GateDriver().calibrate();
    const { mean, n } = baseline(gate.state);
    gate.feed(copyOf('base', 11));
    expect(baseline(gate.state)).toMatchObject({ n: n + 1, mean: expect.closeTo(((mean ?? 0) * n + 11) / (n + 1), 9) });
    expect(gate.state.subjects).toHaveLength(1);
  });

  test('that fails is a failed run of its candidate, and discards nothing', () => {
    const gate = new GateDriver({ policy: 'strict', baselineRuns: 3 }).calibrate([0, 0, 0]);
    gate.feed({ candidateId: 'best', value: 1 });
    expect(gate.state.incumbentId).toBe('best');
    gate.feed(copyOf('best', null));
    gate.feed({ ...copyOf('best', null), censored: true });
    expect(gate.state.incumbentId).toBe('best');
    expect(gate.verdictOf(gate.n - 1)).toMatchObject({ verdict: 'none' });
    expect(claimBasis({ ...CONFIG, policy: 'strict' }, gate.state).failed).toBe(1);
  });

  test('of the unmodified version that fails shows that it may fail', () => {
    const gate = new GateDriver().calibrate();
    expect(findSubject(gate.state, 'base')?.failed).toBe(0);
    gate.feed(copyOf('base', null));
    expect(findSubject(gate.state, 'base')?.failed).toBe(1);
  });

  test('does not count in a race, whose runs are requested in random order', () => {
    const gate = new GateDriver().calibrate();
    gate.feed({ candidateId: 'c', value: 9 });
    gate.answer(() => 9, 3);
    for (let i = 0; i < 40 && gate.state.races.length === 0; i += 1) gate.feed({ value: -9 });
    const [race] = gate.state.races;
    expect(race?.candidateId).toBe('c');
    gate.feed(copyOf('c', 12));
    gate.feed(copyOf('base', -12));
    expect(gate.state.races[0]).toMatchObject({ values: race?.values, controls: race?.controls });
  });

  test('with a value unlike the others shows noise where none had shown', () => {
    const gate = new GateDriver({ baselineRuns: 3 }).calibrate([0, 0, 0]);
    gate.feed({ candidateId: 'c', value: 1 });
    expect(gate.state.exactClaims).toMatchObject([{ candidateId: 'c' }]);
    gate.feed(copyOf('c', 0.5));
    expect(gate.state.exactClaims).toEqual([]);
    expect(gate.state.incumbentId).toBe('base');
  });
});
