import { describe, expect, test } from 'vitest';
import { claim, override, startLastRace } from '../../../../domain/gate/gate.ts';
import type { GateConfig } from '../../../../domain/gate/types.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { seriesOf } from '../../../../domain/statistics/series.ts';
import { GateDriver } from '../support.ts';

/** A gate without visible noise that has just claimed the candidate `good` (trial 11). */
function claimedOnTies(config: Partial<GateConfig> = {}): GateDriver {
  const driver = new GateDriver(config).calibrate(Array.from({ length: 10 }, () => 0));
  driver.feed({ candidateId: 'good', value: 1 });
  driver.answer((want) => (want.candidateId === 'good' ? 1 : 0));
  expect(claim(driver.state).candidateId).toBe('good');
  return driver;
}

const search = (driver: GateDriver, times: number): void => {
  for (let i = 0; i < times; i += 1) driver.feed({ parentId: 'good', value: -1 });
};

/** Requests the missing runs at the end of a search; returns their candidates. */
function end(driver: GateDriver): string[] {
  const last = startLastRace(driver.config, driver.state);
  if (!last) return [];
  driver.state = last.state;
  driver.wanted.push(...last.wanted);
  return last.wanted.map(({ kind, candidateId }) => `${kind} ${candidateId}`);
}

/** Makes the claim of a candidate one that 0.2 made: on one run, and without later runs. */
function asOf02(driver: GateDriver, candidateId: string): void {
  const subject = driver.state.subjects.find((one) => one.candidateId === candidateId) ?? expect.unreachable();
  subject.values = [subject.fresh.mean];
  subject.fresh = seriesOf(subject.values);
  delete subject.after;
  delete subject.claimedOnTies;
}

describe('a claim on runs that agree', () => {
  test('gets one more run for each four searches, at most four', () => {
    const driver = claimedOnTies();
    const runs = Array.from({ length: 24 }, () => {
      search(driver, 1);
      const { length } = driver.wanted;
      driver.answer(() => 1);
      return length;
    });
    expect(runs.flatMap((count, i) => (count > 0 ? [[i + 1, count]] : []))).toEqual([
      [4, 1],
      [8, 1],
      [12, 1],
      [16, 1],
    ]);
    expect(end(driver)).toEqual([]);
    expect(claim(driver.state)).toMatchObject({ candidateId: 'good', n: 4 });
  });

  test.each([true, false])('gets all missing runs at the end (the search follows the lead: %s)', (followsLead) => {
    const driver = claimedOnTies({ followsLead });
    search(driver, 4);
    driver.answer(() => 1);
    expect(end(driver)).toEqual(['remeasure good', 'remeasure good', 'remeasure good']);
    driver.answer(() => 1);
    expect(end(driver)).toEqual([]);
  });

  test("gets none if it is a person's", () => {
    const driver = claimedOnTies();
    const kept = override(driver.config, driver.state, { verdict: 'keep', n: 11, candidateId: 'good', value: 1 });
    if ('refused' in kept) throw new Error(kept.refused);
    driver.state = kept.state;
    search(driver, 20);
    expect([driver.wanted, end(driver)]).toEqual([[], []]);
    driver.feed({ kind: 'remeasure', candidateId: 'good', ofTrial: 11, value: -1 });
    expect(claim(driver.state).candidateId).toBe('good');
  });
});

describe.each([true, false])('if a run differs (the search follows the lead: %s)', (followsLead) => {
  test('the claim is taken back, and the candidate is compared as any other', () => {
    const driver = claimedOnTies({ followsLead });
    end(driver);
    driver.answer(() => -1, 1);
    expect(driver.claims.at(-1)).toMatchObject({ candidateId: 'base', previous: 'good' });
    expect(driver.state.previousId).toBeNull();
    expect(driver.state.exactClaims).toEqual([]);
    expect(driver.verdictOf(11)?.verdict).not.toBe('keep');
    expect(driver.verdictOf(11)?.reason).toMatch(/^(expected gain|becomes the lead|passes the screen|screened out)/);
  });

  test('so is one that another candidate put in doubt first', () => {
    const driver = claimedOnTies({ followsLead });
    driver.feed({ kind: 'remeasure', candidateId: 'base', parentId: null, value: 0.1 });
    expect(claim(driver.state).candidateId).toBe('good');
    driver.feed({ kind: 'remeasure', candidateId: 'good', parentId: null, ofTrial: 11, value: -1 });
    expect(claim(driver.state).candidateId).toBe('base');
  });
});

test('a claim that replaced another one gives way to it', () => {
  const driver = claimedOnTies();
  driver.feed({ candidateId: 'better', parentId: 'good', value: 2 });
  driver.answer((want) => (want.candidateId === 'better' ? 2 : 1));
  expect(claim(driver.state).candidateId).toBe('better');
  driver.feed({ kind: 'remeasure', candidateId: 'better', parentId: null, ofTrial: 15, value: -2 });
  expect(claim(driver.state).candidateId).toBe('good');
  // The older claim rests on runs that agreed, too.
  driver.feed({ kind: 'remeasure', candidateId: 'good', parentId: null, ofTrial: 11, value: -2 });
  expect(claim(driver.state).candidateId).toBe('base');
});

test('a claim that 0.2 made on one run first gets two more runs, and is taken back if one differs', () => {
  const driver = claimedOnTies();
  asOf02(driver, 'good');
  search(driver, 1);
  expect(driver.wanted.map(({ candidateId }) => candidateId)).toEqual(['good', 'good']);
  driver.answer(() => -1, 1);
  expect(claim(driver.state).candidateId).toBe('base');
});

test('a claim of 0.2 whose measurement shows that its runs differ is taken back by the last run of it', () => {
  const driver = claimedOnTies();
  asOf02(driver, 'good');
  driver.feed({ kind: 'remeasure', candidateId: 'base', parentId: null, value: 0.1 });
  expect(driver.state.calibrating).toEqual({ candidateId: 'good', need: 3 });
  driver.answer(() => -1, 2);
  expect(claim(driver.state).candidateId).toBe('base');
});

describe.each([true, false])(
  'of two claims that 0.2 made on one run (the search follows the lead: %s)',
  (followsLead) => {
    test.each([30, 0])('both are taken back if their runs differ, with %i searches to come', (searches) => {
      const driver = claimedOnTies({ followsLead });
      driver.feed({ candidateId: 'better', parentId: 'good', value: 2 });
      driver.answer((want) => (want.candidateId === 'better' ? 2 : 1));
      for (const candidateId of ['good', 'better']) asOf02(driver, candidateId);
      const run = (): void => driver.answer((want) => (want.candidateId === 'base' ? 0 : -1 + (driver.n % 3) / 10));
      search(driver, 1);
      run();
      search(driver, searches);
      for (let i = 0; i < 9 && end(driver).length > 0; i += 1) run();
      expect(claim(driver.state).candidateId).toBe('base');
      expect(driver.claims.slice(0, 3).map(({ candidateId }) => candidateId)).toEqual(['good', 'better', 'good']);
    });
  },
);

test('a claim that is taken back says so, also with the better mean', () => {
  const driver = claimedOnTies();
  const { rulings } = driver.feed({ kind: 'remeasure', candidateId: 'good', parentId: null, ofTrial: 11, value: 0.5 });
  expect(rulings.find(({ n }) => n === 11)?.reason).toBe(
    'demoted: it was claimed since its runs agreed, and its 4 runs now differ',
  );
});

test('a candidate that is far better is claimed again, by a race at the end of the search', () => {
  const driver = claimedOnTies();
  const run = (): void =>
    driver.answer((want) => (want.candidateId === 'good' ? 1 + (driver.n % 3) / 50 : (driver.n % 2) / 50));
  for (let i = 0; i < 9 && end(driver).length > 0; i += 1) run();
  expect(driver.claims.map(({ candidateId }) => candidateId)).toEqual(['good', 'base', 'good']);
  expect(driver.verdictOf(11)?.reason).toMatch(/^race won/);
});

/** Researches of 20 equal candidates whose runs are 1 or −1, on a program whose own runs agree. */
function gamble(researches: number): { claimed: number; last: number } {
  let [claimed, last] = [0, 0];
  for (let seed = 1; seed <= researches; seed += 1) {
    const random = createRandom(7919 * seed);
    const valueOf = ({ candidateId }: { candidateId: string }) =>
      candidateId === 'base' ? 0 : random.below(2) * 2 - 1;
    const driver = new GateDriver();
    for (let i = 0; i < 20; i += 1) {
      driver.answer(valueOf);
      const candidateId = `c${i}`;
      driver.feed({ candidateId, parentId: driver.state.leadId, value: valueOf({ candidateId }) });
    }
    driver.answer(valueOf);
    while (end(driver).length > 0) driver.answer(valueOf);
    if (driver.claims.some(({ candidateId }) => candidateId !== 'base')) claimed += 1;
    if (driver.state.incumbentId !== 'base') last += 1;
  }
  return { claimed, last };
}

test('of candidates that gamble, few false claims last', () => {
  const { claimed, last } = gamble(100);
  expect(claimed).toBeGreaterThan(12);
  expect(last).toBeLessThanOrEqual(6);
});
