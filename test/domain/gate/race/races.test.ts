import { expect, test } from 'vitest';
import { claim } from '../../../../domain/gate/gate.ts';
import { GateDriver, jitter } from '../support.ts';

const TRUE_VALUES: Record<string, number> = { base: 0, good: 5, better: 9, best: 14 };

test('two winners at once cannot both win: the second is raced again, against the new incumbent', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'good', value: 5 });
  driver.feed({ candidateId: 'better', value: 9 });
  expect(driver.state.races).toHaveLength(2);
  while (driver.wanted.length > 0) {
    const before = driver.claims.length;
    driver.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(driver.n), 1);
    expect(driver.claims.length - before).toBeLessThanOrEqual(1);
  }
  expect(claim(driver.state).candidateId).toBe('better');
  const previous = driver.claims.map((each) => each.previous);
  // In whatever order they claimed, each later claim was made against the one before.
  expect(new Set(previous).size).toBe(previous.length);
  expect(previous[0]).toBe('base');
});

test('of two equal winners only the first is kept', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'twin1', value: 5 });
  driver.feed({ candidateId: 'twin2', value: 5 });
  driver.answer((want) => (want.candidateId.startsWith('twin') ? 5 : 0) + jitter(driver.n));
  expect(driver.claims).toHaveLength(1);
  expect([driver.verdictOf(11)?.verdict, driver.verdictOf(12)?.verdict].sort()).toEqual(['discard', 'keep']);
});

test('many candidates at once queue for their races and all end', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  for (let i = 0; i < 12; i += 1) driver.feed({ value: 2 + jitter(i) / 3 });
  expect(driver.state.races.length).toBeLessThanOrEqual(4);
  driver.answer(() => jitter(driver.n));
  for (let n = 11; n <= 22; n += 1) expect(driver.verdictOf(n), `trial ${n}`).toMatchObject({ verdict: 'discard' });
});

test('a candidate whose re-runs all fail loses, with the reason, after a bounded number of runs', () => {
  for (const followsLead of [false, true]) {
    const driver = new GateDriver({ followsLead }).calibrate();
    driver.feed({ candidateId: 'fragile', value: 6 });
    driver.answer((want) => (want.candidateId === 'fragile' ? null : jitter(driver.n)), 200);
    expect(driver.wanted).toHaveLength(0);
    expect(driver.n).toBeLessThan(100);
    expect(driver.claims).toHaveLength(0);
    expect(driver.rulings.some(({ n, reason }) => n === 11 && /gave no value/.test(reason))).toBe(true);
    expect(driver.verdictOf(11)).toMatchObject({ verdict: 'discard' });
  }
});

test('a race survives single failed runs, which are wanted again', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'good', value: 6 });
  let failed = 0;
  driver.answer((want) => {
    if (failed < 2 && want.candidateId === 'good') {
      failed += 1;
      return null;
    }
    return (TRUE_VALUES[want.candidateId] ?? 0) + jitter(driver.n);
  });
  expect(failed).toBe(2);
  expect(driver.verdictOf(11)).toMatchObject({ verdict: 'keep' });
});

test('a late confirm run of an ended race adds to the estimate and has the verdict none', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'good', value: 6 });
  driver.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(driver.n));
  const before = claim(driver.state);
  driver.feed({ kind: 'confirm', candidateId: 'good', ofTrial: 11, value: 5.5 });
  expect(driver.verdictOf(driver.n)).toMatchObject({ verdict: 'none' });
  expect(claim(driver.state).n).toBe(before.n + 1);
  driver.feed({ kind: 'confirm', candidateId: 'nobody', ofTrial: 3, value: 5.5 });
  expect(driver.verdictOf(driver.n)).toMatchObject({ verdict: 'none' });
});

test('a gain that is not larger than minDelta is not kept, however certain', () => {
  for (const [minDelta, verdict] of [
    [8, 'discard'],
    [1, 'keep'],
  ] as const) {
    const driver = new GateDriver({ followsLead: false, minDelta }).calibrate();
    driver.feed({ candidateId: 'good', value: 9 });
    driver.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(driver.n));
    expect(driver.verdictOf(11)).toMatchObject({ verdict });
  }
});

test('an incumbent that re-measures far below its predecessor is raced against it and demoted', () => {
  for (const followsLead of [false, true]) {
    const driver = new GateDriver({ followsLead }).calibrate();
    driver.feed({ candidateId: 'good', value: 6 });
    driver.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(driver.n));
    expect(claim(driver.state).candidateId).toBe('good');
    // The gain was luck, or the machine changed: from here on, "good" is worse than the baseline.
    const now = (id: string): number => (id === 'good' ? -6 : 0);
    for (let i = 0; i < 30 && claim(driver.state).candidateId === 'good'; i += 1) {
      driver.feed({ kind: 'remeasure', candidateId: 'good', ofTrial: 11, value: -6 + jitter(i) });
      driver.answer((want) => now(want.candidateId) + jitter(driver.n));
    }
    expect(claim(driver.state).candidateId).toBe('base');
    expect(driver.claims.at(-1)).toMatchObject({ candidateId: 'base', previous: 'good' });
    expect(driver.verdictOf(11)).toMatchObject({ verdict: 'discard' });
    expect(driver.verdictOf(11)?.reason).toContain('demoted');
  }
});

test('re-measuring an incumbent as good as it was claimed leaves it in place', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'good', value: 6 });
  driver.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(driver.n));
  for (let i = 0; i < 30; i += 1)
    driver.feed({ kind: 'remeasure', candidateId: 'good', ofTrial: 11, value: 4.6 + jitter(i) });
  expect(claim(driver.state).candidateId).toBe('good');
  expect(driver.claims).toHaveLength(1);
});
