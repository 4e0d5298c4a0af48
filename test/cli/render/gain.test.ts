import { describe, expect, it } from 'vitest';
import type { Status } from '../../../db/reads/read-status.ts';
import {
  describeBaseline,
  describeBest,
  describeLead,
  describeReport,
  describeTime,
} from '../../../cli/render/gain.ts';

const raw = { n: 9, candidateId: 'r', value: 1.562, gain: -0.051 };

describe('the gain in words', () => {
  it('is none yet where even the best single run is worse than the baseline', () => {
    const claim = { candidateId: 'b', value: 1.511, gain: 0, low: 0, high: 0, runs: 10 };
    expect(describeReport({ claim, raw }, 0.03)).toBe('none yet');
    expect(describeReport({ claim: null, raw: null }, null)).toBe('none yet');
  });

  it('names a best single run that is better, and what it is worth', () => {
    expect(describeReport({ claim: null, raw: { ...raw, value: 1.4, gain: 0.111 } }, 0.03)).toBe(
      'best single run 1.400 (#9), not confirmed by itself',
    );
  });
});

describe('the time of a run', () => {
  it.each([
    [9, 5, "9.0 s a run: 1.8 × the baseline's time"],
    [90, 5, "1 min 30 s a run: 18 × the baseline's time"],
    [3, 5, "3.0 s a run: 0.60 × the baseline's time"],
    [5.6, 5, "5.6 s a run: 1.1 × the baseline's time"],
    [5.4, 5, null],
    [5, 5, null],
    [5, 0, null],
  ])('of a best of %d s beside a baseline of %d s is told as %j', (best, baseline, told) => {
    expect(describeTime({ best, baseline })).toBe(told);
  });
});

describe('the lead in words', () => {
  const status = { lead: null, baseline: { value: 1.5, sd: 0.03, n: 10, trusted: true } } as unknown as Status;
  const more = { trusted: true, waitsFor: 'the race of #40' };
  const lead = { trialId: 'toy/41', candidateId: 'c', value: 1.161, n: 1, estimate: 1.2, ...more };

  it('is there only where the search stands elsewhere than at the best', () => {
    expect(describeLead(status, ' bits')).toBeNull();
    expect(describeLead({ ...status, lead }, ' bits')).toBe(
      '1.161 bits  toy/41 · one run, estimated at 1.200, not confirmed; its race waits for the race of #40',
    );
    expect(describeLead({ ...status, lead: { ...lead, n: 2, estimate: null, waitsFor: null } }, '')).toBe(
      '1.161  toy/41 · mean of 2 runs, not confirmed; its race comes next',
    );
  });
});

describe('a score that the candidate could have written itself', () => {
  const trusted = false;
  const status = {
    baseline: { value: 1.5, sd: 0.03, n: 10, trusted },
    best: { trialId: 'toy/4', candidateId: 'b', value: 1.2, trusted },
    lead: { trialId: 'toy/7', candidateId: 'c', value: 1.1, n: 1, estimate: null, trusted, waitsFor: null },
  } as unknown as Status;

  it('is marked as best, as lead and as baseline', () => {
    expect(
      describeBest({ ...status, metric: { name: 'loss', direction: 'minimize', optimum: null } }, ' bits'),
    ).toMatch(/^1\.200 bits untrusted {2}toy\/4 · gain /);
    expect(describeLead(status, ' bits')).toMatch(/^1\.100 bits untrusted {2}toy\/7 /);
    expect(describeBaseline(status, ' bits')).toMatch(/^1\.500 bits untrusted {2}sd of one run /);
  });
});

describe('the distance to the best possible value', () => {
  const known = {
    baseline: { value: 1.5, sd: 0.03, n: 10, trusted: true },
    best: { trialId: 'toy/4', candidateId: 'b', value: 1.2, trusted: true },
    metric: { name: 'loss', direction: 'minimize', optimum: 0.75 },
  } as unknown as Status;

  it('is told beside the best where the task knows it, from the side on which values lie', () => {
    expect(describeBest(known, ' bits')).toMatch(/ sd of one run · 0\.450 above the optimum$/);
    const rising = { ...known, metric: { ...known.metric, direction: 'maximize' as const, optimum: 2 } };
    expect(describeBest(rising, ' bits')).toMatch(/ · 0\.800 below the optimum$/);
    expect(describeBest({ ...known, metric: { ...known.metric, optimum: null } }, '')).not.toContain('optimum');
  });
});
