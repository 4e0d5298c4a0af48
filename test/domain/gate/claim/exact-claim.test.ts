import { describe, expect, test } from 'vitest';
import { costOfExactClaims } from '../../../../bench/verdicts/ties.ts';
import { changeRule, claim, lead, noiseWarnings, override, searchPoints } from '../../../../domain/gate/gate.ts';
import type { GateConfig, WantedRun } from '../../../../domain/gate/types.ts';
import { GateDriver } from '../support.ts';

const TEN = Array.from({ length: 10 }, () => 0.25);

/** A gate whose ten baseline runs gave .25, and a candidate `a` (trial 11) with a better value. */
function withWaitingClaim(config: Partial<GateConfig> = {}): GateDriver {
  const driver = new GateDriver(config).calibrate(TEN);
  driver.feed({ candidateId: 'a', value: 0.5 });
  return driver;
}

/** Values of an exact metric. */
const EXACT: Record<string, number> = { base: 0.25, a: 0.5, b: 0.75 };
const exact = ({ candidateId }: WantedRun): number => EXACT[candidateId] ?? Number.NaN;

describe('while no run has shown noise', () => {
  test('a claim waits for two runs of its candidate and one of the incumbent, and says how many agree', () => {
    const driver = withWaitingClaim();
    expect(driver.verdictOf(11)).toMatchObject({
      verdict: 'confirm',
      reason:
        'better: 0.5 against 0.25, gain +0.25; a claim waits until 2 more runs of it and 1 more run of the best ' +
        'agree to the last bit with earlier ones',
    });
    expect(driver.wanted.map(({ kind, candidateId }) => `${kind} ${candidateId}`).sort()).toEqual([
      'confirm a',
      'confirm a',
      'remeasure base',
    ]);
    driver.answer(exact, 2);
    expect(driver.claims).toEqual([]);
    driver.answer(exact);
    expect(driver.claims).toMatchObject([{ candidateId: 'a', previous: 'base', value: 0.5, n: 3, ofTrial: 11 }]);
    expect(driver.verdictOf(11)).toMatchObject({
      verdict: 'keep',
      reason:
        'better: 0.5 against 0.25, gain +0.25; its runs and those of the best agree to the last bit; ' +
        '3 runs of it agree: with 95 % confidence fewer than 64 % of its runs differ',
    });
    // 10 runs of the baseline, the candidate's first one, and three more.
    expect(driver.n).toBe(14);
    expect(driver.state.asked).toEqual([]);
  });

  test('a candidate that is not better by more than minDelta gets no further run', () => {
    const driver = withWaitingClaim({ minDelta: 0.25 });
    expect(driver.verdictOf(11)).toMatchObject({
      verdict: 'discard',
      reason: 'not better: 0.5 against 0.25, gain +0.25, minDelta 0.25 (runs agree to the last bit)',
    });
    expect(driver.wanted).toEqual([]);
  });

  test('the warning counts the runs that agree, by the exact bound on the share that differs', () => {
    const warningsOf = ({ config, state }: GateDriver): string => noiseWarnings(config, state).join();
    const driver = new GateDriver().calibrate(TEN);
    expect(warningsOf(driver)).toContain(
      '. 10 runs agree: with 95 % confidence fewer than 26 % of runs differ. A claim',
    );
    expect(warningsOf(new GateDriver({ baselineRuns: 3 }).calibrate([1, 1, 1]))).toContain(
      '3 runs agree: with 95 % confidence fewer than 64 %',
    );
    const claimed = withWaitingClaim();
    claimed.answer(exact);
    expect(warningsOf(claimed)).not.toContain('% confidence');
    expect(warningsOf(new GateDriver({ policy: 'strict' }).calibrate(TEN))).toContain('on one run');
  });

  test('runs are counted, and the search starts from the incumbent, also while a claim waits', () => {
    const driver = withWaitingClaim();
    expect(claim(driver.state)).toMatchObject({ candidateId: 'base', mean: 0.25, sd: 0, n: 10 });
    expect(searchPoints(driver.config, driver.state).lead).toBe('base');
    driver.answer(exact);
    expect(claim(driver.state)).toMatchObject({ candidateId: 'a', mean: 0.5, sd: 0, n: 3, low: null, high: null });
    expect(driver.claims).toMatchObject([{ candidateId: 'a', sd: 0, n: 3 }]);
    expect(searchPoints(driver.config, driver.state).lead).toBe('a');
  });

  test('only the best waiting candidate is run again; the others lose once it is claimed', () => {
    const driver = withWaitingClaim();
    driver.wanted = [];
    driver.feed({ candidateId: 'b', value: 0.75 });
    expect(driver.wanted.map(({ candidateId }) => candidateId)).toEqual(['b', 'b']);
    driver.feed({ kind: 'remeasure', candidateId: 'base', value: 0.25 });
    driver.answer(exact);
    expect(driver.claims.map(({ candidateId }) => candidateId)).toEqual(['b']);
    expect(driver.verdictOf(11)).toMatchObject({
      verdict: 'discard',
      reason: expect.stringMatching(/^not better than the new best: 0.5 against 0.75/) as string,
    });
    // The runs that the loser still waited for are withdrawn.
    expect(driver.state.asked).toEqual([]);
  });

  test('results that waited for the baseline are claimed in the same way', () => {
    const driver = new GateDriver();
    driver.answer(exact, 5);
    driver.feed({ candidateId: 'a', value: 0.5 });
    driver.answer(exact);
    expect(driver.claims).toMatchObject([{ candidateId: 'a', ofTrial: 6 }]);
    expect(driver.n).toBe(14);
  });

  test('a state without the key of waiting claims, as 0.2 stored it, goes on', () => {
    const driver = new GateDriver().calibrate(TEN);
    expect(driver.state).not.toHaveProperty('exactClaims');
    driver.feed({ candidateId: 'a', value: 0.5 });
    driver.answer(exact);
    expect(driver.claims).toHaveLength(1);
  });

  test('with repeats a claim waits, too, and a third seed that differs shows noise', () => {
    const driver = withWaitingClaim({ repeats: 3 });
    driver.answer(exact, 2);
    expect(driver.verdictOf(11)).toMatchObject({
      verdict: 'confirm',
      reason: expect.stringMatching(/^better/) as string,
    });
    const [first, second] = [withWaitingClaim({ repeats: 3 }), 0.5];
    first.answer(() => second, 1);
    first.answer(() => 0.25, 1);
    expect(first.state.noise.ss).toBeGreaterThan(0);
    expect(first.state.exactClaims ?? []).toEqual([]);
  });
});

describe.each([true, false])('any difference ends the wait (the search follows the lead: %s)', (followsLead) => {
  test.each([
    ['the candidate differs from its first run', 'a', 0.25],
    ['the incumbent differs from its runs', 'base', 0.5],
  ])('%s: the gate measures the noise, and compares the candidate as any other', (_, candidateId, value) => {
    const driver = withWaitingClaim({ followsLead });
    driver.answer((want) => (want.candidateId === candidateId ? value : exact(want)), 3);
    expect(driver.claims).toEqual([]);
    expect(driver.state.noise.ss).toBeGreaterThan(0);
    expect(driver.state.exactClaims).toEqual([]);
    expect(driver.state.calibrating).toBeNull();
    expect(driver.verdictOf(11)?.reason).toMatch(/^(expected gain|becomes the lead|passes the screen|screened out)/);
    expect(noiseWarnings(driver.config, driver.state).join()).not.toContain('identical values');
  });
});

test('an injected run of the waiting candidate that differs shows noise, too', () => {
  const driver = withWaitingClaim();
  driver.feed({ kind: 'injected', candidateId: 'a', value: 0.25 });
  driver.answer((want) => (want.candidateId === 'a' ? 0.25 : exact(want)));
  expect(driver.claims).toEqual([]);
  expect(driver.state.exactClaims).toEqual([]);
});

describe('failed runs', () => {
  test('of a waiting candidate end its claim if the unmodified version never fails', () => {
    const driver = withWaitingClaim();
    driver.answer((want) => (want.candidateId === 'a' ? null : 0.25), 3);
    expect(driver.verdictOf(11)).toMatchObject({
      verdict: 'discard',
      reason: 'no claim: a fresh run of it failed, and the unmodified version never fails',
    });
    driver.answer(exact);
    expect(driver.claims).toEqual([]);
  });

  test('that machines lost are requested again', () => {
    const driver = withWaitingClaim();
    const lost = driver.wanted.filter(({ candidateId }) => candidateId === 'a');
    driver.wanted = driver.wanted.filter(({ candidateId }) => candidateId !== 'a');
    for (const want of lost) driver.feed({ ...want, parentId: null, value: null, censored: true });
    driver.answer(exact);
    expect(driver.claims).toHaveLength(1);
  });

  test('of a program that fails from the start are requested again, and given up after the fourth', () => {
    const failing = (most: number): GateDriver => {
      const driver = new GateDriver({ baselineRuns: 3 });
      driver.answer(() => null, 1);
      driver.answer(exact);
      driver.feed({ candidateId: 'a', value: 0.5 });
      let failures = 0;
      driver.answer((want) => (want.candidateId === 'a' && (failures += 1) <= most ? null : exact(want)));
      return driver;
    };
    expect(failing(3).claims).toHaveLength(1);
    expect(failing(4).claims).toEqual([]);
  });
});

describe('a person', () => {
  const decide = (
    driver: GateDriver,
    verdict: 'keep' | 'discard',
    run: { n: number; candidateId: string; value: number },
  ) => {
    const result = override(driver.config, driver.state, { verdict, ...run });
    if ('refused' in result) throw new Error(result.refused);
    driver.state = result.state;
    driver.wanted.push(...result.wanted);
    driver.rulings.push(...result.rulings);
  };

  test('who discards a waiting candidate ends its claim', () => {
    const driver = withWaitingClaim();
    decide(driver, 'discard', { n: 11, candidateId: 'a', value: 0.5 });
    driver.answer(exact);
    expect(driver.claims).toEqual([]);
  });

  test('who keeps a better candidate ends the claim of a worse one', () => {
    const driver = withWaitingClaim();
    decide(driver, 'keep', { n: 12, candidateId: 'b', value: 0.75 });
    expect(driver.verdictOf(11)).toMatchObject({ verdict: 'discard' });
    expect(driver.state.exactClaims).toEqual([]);
  });

  test('who keeps a worse candidate makes the waiting claim wait for a run of that one', () => {
    const driver = withWaitingClaim();
    driver.wanted = [];
    driver.feed({ kind: 'remeasure', candidateId: 'base', value: 0.25 });
    decide(driver, 'keep', { n: 13, candidateId: 'c', value: 0.375 });
    expect(driver.wanted.map(({ candidateId }) => candidateId)).toEqual(['c']);
  });

  test('whose choice ran once has it run three times before others are compared, if runs then differ', () => {
    const driver = withWaitingClaim();
    decide(driver, 'keep', { n: 12, candidateId: 'c', value: 0.375 });
    driver.feed({ kind: 'confirm', candidateId: 'a', ofTrial: 11, value: 0.45 });
    expect(driver.state.calibrating).toEqual({ candidateId: 'c', need: 3 });
    driver.answer(({ candidateId }) => (candidateId === 'c' ? 0.375 : 0.45));
    expect(driver.state.calibrating).toBeNull();
    expect(driver.verdictOf(11)?.reason).not.toMatch(/^better/);
  });

  test('who takes back the only claim leaves no claim waiting', () => {
    const driver = new GateDriver({ baselineRuns: 3 });
    driver.answer(() => null, 100);
    driver.feed({ candidateId: 'first', value: 0.25 });
    driver.answer(() => 0.25);
    driver.feed({ candidateId: 'a', value: 0.5 });
    expect(driver.state.exactClaims).toHaveLength(1);
    const n = claim(driver.state).ofTrial ?? 0;
    decide(driver, 'discard', { n, candidateId: 'first', value: 0.25 });
    expect(driver.state.exactClaims).toEqual([]);
    expect(driver.rulings.at(-1)).toMatchObject({ verdict: 'discard' });
  });
});

describe('a changed rule', () => {
  const change = (driver: GateDriver, settings: Partial<GateConfig>) =>
    changeRule(driver.state, {
      before: driver.config,
      after: { ...driver.config, ...settings },
      withdrawn: driver.wanted.map(({ candidateId }) => candidateId),
    });

  test('to strict makes a waiting claim at once', () => {
    const { claimed, state, wanted, rulings } = change(withWaitingClaim(), { policy: 'strict', followsLead: false });
    expect(claimed?.candidateId).toBe('a');
    expect([state.exactClaims, wanted]).toEqual([[], []]);
    expect(rulings.at(-1)?.reason).toContain('keep.policy: strict');
  });

  test('with a larger minDelta ends a waiting claim that is no longer better', () => {
    const { state, rulings, wanted } = change(withWaitingClaim(), { minDelta: 0.3 });
    expect([state.exactClaims, wanted]).toEqual([[], []]);
    expect(rulings.at(-1)).toMatchObject({ n: 11, verdict: 'discard' });
  });

  test('with another parent keeps the wait, with its runs so far', () => {
    const driver = withWaitingClaim();
    driver.answer(exact, 1);
    expect(change(driver, { followsLead: false }).wanted).toHaveLength(2);
  });
});

test('while a claim waits, the lead is the incumbent', () => {
  expect(lead(withWaitingClaim().state).candidateId).toBe('base');
});

test('on a metric without noise, each claim costs three runs more, and at most four after it', () => {
  const { claims, runs } = costOfExactClaims({ share: 0.1, size: 1 }, 20);
  expect(claims).toBeGreaterThan(20);
  expect(runs).toBeGreaterThan(3 * claims);
  expect(runs).toBeLessThanOrEqual(7 * claims);
});
