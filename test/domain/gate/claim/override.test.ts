import { expect, test } from 'vitest';
import { advance, claim, override } from '../../../../domain/gate/gate.ts';
import { reportGain } from '../../../../domain/gate/report-gain.ts';
import type { GateConfig, GateState } from '../../../../domain/gate/types.ts';
import { gateEvents } from '../../../../domain/event/gate-events.ts';
import { GateDriver, jitter, parentOf } from '../support.ts';

/** A gate in which a person made x the incumbent, though its one run was no better than the ten of the incumbent. */
function withClaimByPerson(config: Partial<GateConfig>): GateDriver {
  const driver = new GateDriver(config).calibrate(config.policy === 'strict' ? [0] : undefined);
  driver.feed({ candidateId: 'x', value: -0.5 });
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: driver.n, candidateId: 'x', value: -0.5 });
  if ('refused' in kept) throw new Error(kept.refused);
  driver.state = kept.state;
  driver.wanted = [...kept.wanted];
  return driver;
}

test.each([
  { policy: 'strict', followsLead: false, baselineRuns: 1 },
  { policy: 'noise-gated', followsLead: false },
  { policy: 'noise-gated', followsLead: true },
] as const)(
  "a person's keep is not taken back by its predecessor ($policy, follows the lead: $followsLead)",
  (config) => {
    const driver = withClaimByPerson(config);
    driver.answer(({ candidateId }) => (candidateId === 'x' ? -0.5 + (driver.n % 3) / 10 : 0), 10);
    for (let i = 0; i < 60; i += 1) {
      driver.feed({ value: -3 - (i % 5), parentId: 'x' });
      driver.answer(({ candidateId }) => (candidateId === 'x' ? -0.5 + (driver.n % 3) / 10 : 0), 10);
    }
    driver.feed({ kind: 'remeasure', candidateId: 'base', parentId: null, value: 0.2 });
    expect(claim(driver.state).candidateId).toBe('x');
    expect(parentOf(driver.config, driver.state)).toBe('x');
  },
);

test('a further run of a candidate that a person discarded is not the best run', () => {
  const driver = new GateDriver({ policy: 'noise-gated', followsLead: true }).calibrate();
  driver.state = { ...driver.state, discardedByPerson: ['leak'] };
  driver.feed({ candidateId: 'leak', value: 50, copy: true });
  driver.feed({ candidateId: 'honest', value: 1 });
  expect(reportGain(driver.config, driver.state).raw?.candidateId).toBe('honest');
});

test('a better candidate takes the claim from one that a person kept, and may itself be demoted again', () => {
  const driver = withClaimByPerson({ policy: 'strict', followsLead: false, baselineRuns: 1 });
  driver.feed({ candidateId: 'y', value: 1 });
  expect(claim(driver.state).candidateId).toBe('y');
  driver.feed({ kind: 'remeasure', candidateId: 'y', parentId: null, value: -9 });
  expect(claim(driver.state).candidateId).toBe('x');
});

test('a discard of a candidate that a person kept restores the predecessor, and a second one changes nothing', () => {
  const driver = withClaimByPerson({ policy: 'noise-gated', followsLead: true });
  const discard = { verdict: 'discard', n: 11, candidateId: 'x', value: -0.5 } as const;
  const back = override(driver.config, driver.state, discard);
  if ('refused' in back) throw new Error(back.refused);
  expect(claim(back.state).candidateId).toBe('base');
  const again = override(driver.config, back.state, discard);
  if ('refused' in again) throw new Error(again.refused);
  expect(again.state.incumbentId).toBe('base');
  expect(again.claimed).toBeNull();
});

test('a discard of an earlier claim that a person kept again restores the claim that it had replaced', () => {
  const driver = new GateDriver({ policy: 'strict', followsLead: false, baselineRuns: 1 }).calibrate([0]);
  driver.feed({ candidateId: 'first', value: 1 });
  const { n } = driver;
  driver.feed({ candidateId: 'second', value: 2 });
  expect(claim(driver.state)).toMatchObject({ candidateId: 'second' });
  const rule = (verdict: 'keep' | 'discard'): void => {
    const overridden = override(driver.config, driver.state, { verdict, n, candidateId: 'first', value: 1 });
    if ('refused' in overridden) throw new Error(overridden.refused);
    driver.state = overridden.state;
    driver.rulings.push(...overridden.rulings);
  };
  rule('keep');
  rule('keep');
  expect(claim(driver.state).candidateId).toBe('first');
  rule('discard');
  expect(claim(driver.state).candidateId).toBe('second');
  expect(driver.rulings.filter((ruling) => ruling.n === n + 1).map(({ verdict }) => verdict)).toEqual(['keep']);
});

test.each([false, true])(
  'nor is one on the incumbent that a race is open against (the search follows the lead: %s)',
  (followsLead) => {
    const driver = new GateDriver({ followsLead }).calibrate();
    driver.feed({ candidateId: 'x', value: 6 });
    const noisy = (mean: number): number => mean + ((driver.n * 7) % 5) / 5 - 0.4;
    driver.answer(({ candidateId }) => noisy(candidateId === 'x' ? 6 : 0), 200);
    expect(claim(driver.state).candidateId).toBe('x');
    const kept = override(driver.config, driver.state, { verdict: 'keep', n: 11, candidateId: 'x', value: 6 });
    if ('refused' in kept) throw new Error(kept.refused);
    Object.assign(driver, { state: kept.state, wanted: [...driver.wanted, ...kept.wanted] });
    // From here on, x measures far below its predecessor.
    for (let i = 0; i < 80; i += 1) {
      driver.feed({ kind: 'remeasure', candidateId: 'x', parentId: null, value: noisy(-6) });
      driver.answer(({ candidateId }) => noisy(candidateId === 'x' ? -6 : 0), 10);
    }
    expect(claim(driver.state).candidateId).toBe('x');
    expect(parentOf(driver.config, driver.state)).toBe('x');
  },
);

test('a keep of the incumbent by a person protects it from its predecessor', () => {
  const driver = new GateDriver({ policy: 'strict', followsLead: false, baselineRuns: 1 }).calibrate([0]);
  driver.feed({ candidateId: 'y', value: 1 });
  const keep = { verdict: 'keep', n: driver.n, candidateId: 'y', value: 1 } as const;
  const demoted = (state: GateState): string =>
    advance(driver.config, state, {
      n: driver.n + 1,
      kind: 'remeasure',
      candidateId: 'y',
      parentId: null,
      ofTrial: 2,
      seed: 3,
      value: -9,
    } as const).state.incumbentId;
  expect(demoted(driver.state)).toBe('base');
  const kept = override(driver.config, driver.state, keep);
  if ('refused' in kept) throw new Error(kept.refused);
  expect(kept.claimed).toBeNull();
  expect(demoted(kept.state)).toBe('y');
});

test('a discard of the only candidate that ever ran leaves no claim: the next one that runs is the incumbent', () => {
  const driver = new GateDriver({ policy: 'strict', followsLead: false, baselineRuns: 1, direction: 'minimize' });
  driver.answer(() => null);
  driver.feed({ candidateId: 'x', value: 4 });
  expect(claim(driver.state).candidateId).toBe('x');
  const back = override(driver.config, driver.state, { verdict: 'discard', n: driver.n, candidateId: 'x', value: 4 });
  if ('refused' in back) throw new Error(back.refused);
  expect(back.claimed).toBeNull();
  Object.assign(driver, { state: back.state, wanted: [...back.wanted] });
  driver.feed({ candidateId: 'y', value: 9 });
  expect(claim(driver.state)).toMatchObject({ candidateId: 'y', mean: 9, n: 1 });
});

test('open races go on against the candidate that a person kept, or are ruled on', () => {
  const open = (): GateDriver => {
    const driver = new GateDriver({ followsLead: false }).calibrate();
    driver.feed({ candidateId: 'x', value: 0.5 });
    driver.feed({ candidateId: 'low', value: 1.5 });
    driver.feed({ candidateId: 'high', value: 4 });
    expect(driver.state.races.map(({ candidateId }) => candidateId)).toEqual(['low', 'high']);
    return driver;
  };
  const driver = open();
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: 11, candidateId: 'x', value: 2 });
  if ('refused' in kept) throw new Error(kept.refused);
  expect(kept.state.races).toMatchObject([{ candidateId: 'high', heat: true, values: [] }]);
  expect(kept.rulings).toMatchObject([{ n: 12, verdict: 'discard' }]);
});

test('a verdict of a person on a re-run is one on the first trial of its candidate', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'x', value: 4 });
  driver.feed({ kind: 'confirm', candidateId: 'x', parentId: null, ofTrial: 11, value: 3.9 });
  for (const verdict of ['keep', 'discard'] as const) {
    const overridden = override(driver.config, driver.state, { verdict, n: 12, candidateId: 'x', value: 3.9 });
    if ('refused' in overridden) throw new Error(overridden.refused);
    const reason = "a person's verdict on run #12 of this candidate";
    expect(overridden.rulings.at(-1)).toMatchObject({ n: 11, verdict, reason });
  }
});

test('a lead is ruled on if a person chooses another candidate', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'lead', value: 1.4 });
  expect(driver.state.leadId).toBe('lead');
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: 1, candidateId: 'other', value: 3 });
  if ('refused' in kept) throw new Error(kept.refused);
  expect(kept.rulings).toMatchObject([{ n: 11, verdict: 'discard', reason: 'no claim: a person chose trial 1' }]);
});

test('a discard makes the claim that returns with the value of its runs after the claim, as status shows it', () => {
  const driver = new GateDriver({ direction: 'minimize' }).calibrate();
  driver.feed({ candidateId: 'good', value: -9 });
  const goodTrial = driver.n;
  // The runs after the claim are worse than those of the race.
  driver.answer(({ candidateId }) => {
    const level = driver.claims.length > 0 ? -7 : -9;
    return (candidateId === 'good' ? level : 0) + jitter(driver.n);
  });
  driver.feed({ candidateId: 'cheat', value: -90 });
  const { n } = driver;
  const kept = override(driver.config, driver.state, { verdict: 'keep', n, candidateId: 'cheat', value: -90 });
  if ('refused' in kept) throw new Error(kept.refused);
  const back = override(driver.config, kept.state, { verdict: 'discard', n, candidateId: 'cheat', value: -90 });
  if ('refused' in back) throw new Error(back.refused);
  const shown = claim(back.state);
  expect(back.claimed).toMatchObject({ candidateId: 'good', value: shown.mean, sd: shown.sd, n: 4 });
  const events = gateEvents(kept.state, back, { researchId: 'r', by: 'person', reason: 'it cheats' });
  expect(events.find(({ kind }) => kind === 'claim-taken-back')).toMatchObject({
    n,
    data: { inPlace: 'good', inPlaceTrial: goodTrial, value: shown.mean },
  });
});
