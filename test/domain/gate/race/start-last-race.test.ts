import { describe, expect, test } from 'vitest';
import { claim, startLastRace, raceObstacle } from '../../../../domain/gate/gate.ts';
import { GateDriver, jitter } from '../support.ts';

const TRUE_VALUES: Record<string, number> = { good: 14, bad: 0 };
const subjectOf = ({ state }: GateDriver, id: string) => state.subjects.find(({ candidateId }) => candidateId === id)!;
const answerAll = (driver: GateDriver) =>
  driver.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(driver.n));

/** A lead that is far ahead and whose race waits, since earlier races took more runs than their budget. */
function withWaitingLead(candidateId = 'good'): GateDriver {
  const driver = new GateDriver().calibrate();
  driver.state.effort = -20;
  driver.feed({ candidateId, value: 14 });
  answerAll(driver);
  return driver;
}

/** Races the waiting lead at the end of the search. False if no lead waits. */
function raceLead(driver: GateDriver): boolean {
  const last = startLastRace(driver.config, driver.state);
  if (!last) return false;
  driver.state = last.state;
  driver.wanted.push(...last.wanted);
  answerAll(driver);
  return true;
}

describe('at the end of a search', () => {
  test('a lead that waits for the budget of races is raced, and claimed if it wins', () => {
    const driver = withWaitingLead();
    expect(raceObstacle(driver.config, driver.state, 'good')?.runs).toBeGreaterThan(100);
    const before = JSON.stringify(driver.state);
    expect(startLastRace(driver.config, driver.state)?.wanted).toHaveLength(12);
    expect(JSON.stringify(driver.state)).toBe(before);
    expect(raceLead(driver)).toBe(true);
    expect(claim(driver.state).candidateId).toBe('good');
    expect(driver.verdictOf(11)).toMatchObject({ verdict: 'keep' });
    expect(raceLead(driver)).toBe(false);
  });

  test('its error probability is taken from the account', () => {
    const driver = withWaitingLead();
    const { account } = driver.state;
    const last = startLastRace(driver.config, driver.state)!;
    expect(last.state.races[0]!.level).toBeCloseTo(account / 2, 10);
    expect(last.state.account).toBeCloseTo(account / 2, 10);
  });

  test('there is only one last race, whatever its result, until the search has gone on', () => {
    const driver = withWaitingLead('bad');
    expect(raceLead(driver)).toBe(true);
    expect(claim(driver.state).candidateId).toBe('base');
    const lead = subjectOf(driver, 'bad');
    // Sets its estimate back to a high value.
    lead.belief.mean = 14;
    Object.assign(driver.state, { leadId: 'bad', effort: -20 });
    expect(raceLead(driver)).toBe(false);
    driver.feed({ candidateId: 'worse', value: -30 });
    subjectOf(driver, 'bad').belief.mean = 14;
    Object.assign(driver.state, { leadId: 'bad', effort: -20 });
    expect(raceLead(driver)).toBe(true);
  });

  test.each([
    ['is hardly better', (driver: GateDriver) => (subjectOf(driver, 'good').belief.mean = 0.5)],
    ['is the best', (driver: GateDriver) => (driver.state.leadId = 'base')],
    [
      'is still compared with another',
      (driver: GateDriver) => driver.state.probes.push({ candidateId: 'good', next: 'lead' }),
    ],
    ['is not the parent of proposals', (driver: GateDriver) => Object.assign(driver.config, { followsLead: false })],
  ])('there is no race if the lead %s', (_, change) => {
    const driver = withWaitingLead();
    change(driver);
    expect(startLastRace(driver.config, driver.state)).toBeNull();
  });
});
