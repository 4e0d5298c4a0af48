import { describe, expect, test } from 'vitest';
import { advance, claim, override, reportGain, startLastRace } from '../../../../domain/gate/gate.ts';
import { GateDriver, jitter } from '../support.ts';

const ofGood = ({ wanted }: GateDriver) => wanted.filter(({ candidateId }) => candidateId === 'good');
const answerOne = (driver: GateDriver) =>
  driver.answer((want) => (want.candidateId === 'good' ? 7 : 0) + jitter(driver.n), 1);
const afterOf = ({ state }: GateDriver) => state.subjects.find(({ candidateId }) => candidateId === 'good')?.after?.n;

/** A gate that has just claimed the candidate `good`. */
function claimed(config: ConstructorParameters<typeof GateDriver>[0] = {}): GateDriver {
  const driver = new GateDriver(config).calibrate();
  driver.feed({ candidateId: 'good', value: 7 });
  for (let i = 0; i < 100 && driver.claims.length === 0; i += 1) answerOne(driver);
  expect(claim(driver.state).candidateId).toBe('good');
  return driver;
}

describe('after a claim', () => {
  test('its candidate runs four more times, one at a time', () => {
    const driver = claimed();
    for (const done of [0, 1, 2, 3]) {
      expect(afterOf(driver)).toBe(done);
      expect(ofGood(driver)).toEqual([{ kind: 'remeasure', candidateId: 'good', ofTrial: 11 }]);
      answerOne(driver);
    }
    expect(afterOf(driver)).toBe(4);
    expect(driver.wanted).toEqual([]);
    expect(reportGain(driver.config, driver.state).claim).toMatchObject({ source: 'after', runs: 4, after: 4 });
  });

  test('the runs of a later race of the incumbent are not among the four', () => {
    const driver = claimed();
    driver.wanted = [];
    driver.state.asked = [];
    driver.state.effort = 60;
    driver.feed({ candidateId: 'better', value: 40, parentId: 'good' });
    for (let i = 0; i < 40 && driver.state.races.length === 0; i += 1)
      driver.answer((want) => (want.candidateId === 'better' ? 40 : 7) + jitter(driver.n), 1);
    expect(driver.state.races.map(({ candidateId }) => candidateId)).toEqual(['better']);
    const before = afterOf(driver);
    const index = driver.wanted.findIndex(({ candidateId }) => candidateId === 'good');
    driver.feed({ ...driver.wanted[index]!, parentId: null, value: 7.3 });
    expect(driver.state.races[0]!.controls).toEqual([7.3]);
    expect(afterOf(driver)).toBe(before);
  });

  test('a run that fails is requested again, at most a few times', () => {
    const driver = claimed();
    driver.answer((want) => (want.candidateId === 'good' ? null : 0), 40);
    expect(driver.wanted).toEqual([]);
    expect(reportGain(driver.config, driver.state).claim).toMatchObject({ source: 'claim', after: 0 });
  });

  test.each([true, false])('there are no runs if the rule is strict (the metric is exact: %s)', (isExact) => {
    const driver = new GateDriver({ policy: 'strict' });
    driver.calibrate(Array.from({ length: 10 }, (_, i) => (isExact ? 1 : jitter(i))));
    driver.feed({ candidateId: 'good', value: 7 });
    expect(claim(driver.state).candidateId).toBe('good');
    for (let i = 0; i < 20; i += 1) driver.feed({ value: -3 });
    expect(driver.wanted).toEqual([]);
    expect(startLastRace(driver.config, driver.state)).toBeNull();
  });

  test("a person's claim gets none", () => {
    const driver = new GateDriver().calibrate();
    driver.feed({ candidateId: 'good', value: -1 });
    const kept = override(driver.config, driver.state, { verdict: 'keep', n: 11, candidateId: 'good', value: -1 });
    if ('refused' in kept) throw new Error(kept.refused);
    expect(kept.wanted).toEqual([]);
    expect(reportGain(driver.config, kept.state).claim?.source).toBe('person');
  });
});

test('after a last race nothing else needs the slots, so the four runs are requested at once', () => {
  const driver = new GateDriver().calibrate();
  driver.state.effort = -20;
  driver.feed({ candidateId: 'good', value: 14 });
  driver.answer((want) => (want.candidateId === 'good' ? 14 : 0) + jitter(driver.n));
  const last = startLastRace(driver.config, driver.state)!;
  driver.state = last.state;
  driver.wanted.push(...last.wanted);
  while (driver.claims.length === 0)
    driver.answer((want) => (want.candidateId === 'good' ? 14 : 0) + jitter(driver.n), 1);
  expect(ofGood(driver)).toHaveLength(4);
});

test('an incumbent of an older version gets its four runs with the next ended trial', () => {
  const driver = claimed();
  const state = { ...driver.state, asked: [] };
  delete state.subjects.find(({ candidateId }) => candidateId === 'good')!.after;
  const ended = {
    n: driver.n + 1,
    kind: 'search' as const,
    candidateId: 'x',
    parentId: 'good',
    ofTrial: null,
    seed: 1,
  };
  const next = advance(driver.config, state, { ...ended, value: -50 });
  expect(next.wanted).toEqual([{ kind: 'remeasure', candidateId: 'good', ofTrial: 11 }]);
});
