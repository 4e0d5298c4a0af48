import { describe, expect, it } from 'vitest';
import { statusView, type StatusFacts } from '../../view/status.ts';
import { VIEW } from './support/view.ts';

const facts = (more: Partial<StatusFacts['research']> = {}): StatusFacts => ({
  research: {
    id: 'toy',
    baselineCandidate: 'b',
    task: { name: 'toy', metric: { name: 'loss', direction: 'minimize', unit: 'bits' } },
    phase: 'running',
    reason: null,
    endpointDown: null,
    proposer: 'llm',
    overrides: {},
    settingsHash: null,
    window: 2,
    activeSeconds: 3600,
    secondsAtClaim: 0,
    tokens: 12_345,
    usd: 0.42,
    slotSeconds: 61,
    budget: { trials: 60, slotSeconds: 3600, tokens: 50_000, usd: 5, counts: ['search'], whenSpent: 'wait' },
    admitted: { search: 7, baseline: 3 },
    refunded: { search: 2 },
    withoutNew: 1,
    ...more,
  },
  standing: {
    baseline: { candidateId: 'b', value: 2.2, sd: 0.2, n: 3, low: null, high: null },
    claim: { candidateId: 'c', value: 1.5, sd: null, n: 12, low: null, high: null },
    basis: { failed: 0, basis: null },
    lead: null,
    report: VIEW.gain,
    races: [],
    warnings: VIEW.warnings,
  },
  trust: new Map([['c', false]]),
  bestTrialId: 'toy/4',
  counts: { ...VIEW.trials, verdicts: VIEW.verdicts },
  waiting: { wait: null, othersGetOn: false },
  slots: VIEW.slots,
  queue: VIEW.queue,
  rates: VIEW.rates,
  earlyAbort: VIEW.earlyAbort,
  losingStreak: VIEW.losingStreak,
  failedBaseline: VIEW.failedBaseline,
  contention: VIEW.contention,
  learning: VIEW.learning,
  arms: VIEW.arms,
  alerts: VIEW.alerts,
  compute: VIEW.compute,
});

describe('the view of a status', () => {
  it('consists of the values of the readers, as plain JSON', () => {
    const down = 'the model endpoint is down';
    const view = statusView(facts({ phase: 'waiting', endpointDown: down }));
    expect(view).toEqual(VIEW);
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });

  it('is waiting if trials hold slots on which they cannot begin, and no other trial makes progress', () => {
    const wait = { trials: 1, why: 'room on box' };
    expect(statusView({ ...facts(), waiting: { wait, othersGetOn: false } })).toMatchObject({
      phase: 'waiting',
      reason: '1 trial waits for room on box',
      wait,
    });
    expect(statusView({ ...facts(), waiting: { wait, othersGetOn: true } })).toMatchObject({
      phase: 'running',
      reason: null,
      wait,
    });
  });

  it('names the trial of the lead, and has null for values that are not measured', () => {
    const lead = { candidateId: 'l', value: 1.2, sd: null, n: 1, ofTrial: 41, estimate: 1.3, waitsFor: null };
    const { standing } = facts();
    expect(statusView({ ...facts(), standing: { ...standing, lead } }).lead).toEqual({
      trialId: 'toy/41',
      candidateId: 'l',
      value: 1.2,
      n: 1,
      estimate: 1.3,
      waitsFor: null,
      trusted: true,
    });
    const young = { ...standing, baseline: null, claim: null };
    expect(statusView({ ...facts(), standing: young })).toMatchObject({ baseline: null, best: null, lead: null });
  });
});
