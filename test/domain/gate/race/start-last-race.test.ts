import { describe, expect, test } from 'vitest';
import { claim, startLastRace, raceObstacle } from '../../../../domain/gate/gate.ts';
import { Hand, jitter } from '../support.ts';

const TRUE_VALUES: Record<string, number> = { good: 14, bad: 0 };
const run = (hand: Hand) => hand.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(hand.n));

/** A lead that is far ahead and whose race waits, since earlier races took more runs than their budget. */
function waiting(candidateId = 'good'): Hand {
  const hand = new Hand().calibrate();
  hand.state.effort = -20;
  hand.feed({ candidateId, value: 14 });
  run(hand);
  return hand;
}

/** Races the waiting lead at the end of the search. False if no lead waits. */
function race(hand: Hand): boolean {
  const last = startLastRace(hand.config, hand.state);
  if (!last) return false;
  hand.state = last.state;
  hand.wants.push(...last.wants);
  run(hand);
  return true;
}

describe('at the end of a search', () => {
  test('a lead that waits for the budget of races is raced, and claimed if it wins', () => {
    const hand = waiting();
    expect(raceObstacle(hand.config, hand.state, 'good')?.runs).toBeGreaterThan(100);
    const before = JSON.stringify(hand.state);
    expect(startLastRace(hand.config, hand.state)?.wants).toHaveLength(12);
    expect(JSON.stringify(hand.state)).toBe(before);
    expect(race(hand)).toBe(true);
    expect(claim(hand.state).candidateId).toBe('good');
    expect(hand.verdictOf(11)).toMatchObject({ verdict: 'keep' });
    expect(race(hand)).toBe(false);
  });

  test('its error probability is taken from the account', () => {
    const hand = waiting();
    const { account } = hand.state;
    const last = startLastRace(hand.config, hand.state)!;
    expect(last.state.races[0]!.level).toBeCloseTo(account / 2, 10);
    expect(last.state.account).toBeCloseTo(account / 2, 10);
  });

  test('there is only one last race, whatever its result, until the search has gone on', () => {
    const hand = waiting('bad');
    expect(race(hand)).toBe(true);
    expect(claim(hand.state).candidateId).toBe('base');
    const lead = hand.state.subjects.find((one) => one.candidateId === 'bad')!;
    // Sets its estimate back to a high value.
    lead.belief.mean = 14;
    Object.assign(hand.state, { leadId: 'bad', effort: -20 });
    expect(race(hand)).toBe(false);
    hand.feed({ candidateId: 'worse', value: -30 });
    hand.state.subjects.find((one) => one.candidateId === 'bad')!.belief.mean = 14;
    Object.assign(hand.state, { leadId: 'bad', effort: -20 });
    expect(race(hand)).toBe(true);
  });

  test.each([
    [
      'is hardly better',
      (hand: Hand) => (hand.state.subjects.find((one) => one.candidateId === 'good')!.belief.mean = 0.5),
    ],
    ['is the best', (hand: Hand) => (hand.state.leadId = 'base')],
    ['is still compared with another', (hand: Hand) => hand.state.probes.push({ candidateId: 'good', next: 'lead' })],
    ['is not followed by the search', (hand: Hand) => Object.assign(hand.config, { followsLead: false })],
  ])('there is no race if the lead %s', (_, change) => {
    const hand = waiting();
    change(hand);
    expect(startLastRace(hand.config, hand.state)).toBeNull();
  });
});
