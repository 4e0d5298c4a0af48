import { expect, test } from 'vitest';
import { raceObstacle } from '../../../../domain/gate/gate.ts';
import { Hand, jitter } from '../support.ts';

const waitsFor = ({ config, state }: Hand, id = state.leadId) => raceObstacle(config, state, id)?.words ?? null;

/** A lead so far ahead that it is raced if a race is possible. */
function ahead(): Hand {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'good', value: 5 });
  hand.answer((want) => (want.candidateId === 'good' ? 5 : 0) + jitter(hand.n), 1);
  return hand;
}

test('a lead in a race waits for its own runs, another candidate waits for that race', () => {
  const hand = ahead();
  expect(hand.state).toMatchObject({ leadId: 'good', races: [{ candidateId: 'good', ofTrial: 11 }] });
  expect(waitsFor(hand)).toBe('its race is under way');
  hand.state.subjects.push({ ...hand.state.subjects[0]!, candidateId: 'other' });
  expect(waitsFor(hand, 'other')).toBe('its race waits for the race of #11');
});

test('a lead waits for the budget of races, stated in runs of its race and trials until they are saved', () => {
  const hand = ahead();
  hand.state.races = [];
  expect(waitsFor(hand)).toBeNull();
  hand.state.effort = 9;
  expect(waitsFor(hand)).toBe(
    'its race needs 12 runs; the budget of races has them after 20 more trials, or sooner if the lead improves',
  );
});

test('a lead that is hardly better waits for a better estimate', () => {
  const hand = ahead();
  hand.state.races = [];
  const lead = hand.state.subjects.find(({ candidateId }) => candidateId === 'good')!;
  const best = hand.state.subjects.find(({ candidateId }) => candidateId === 'base')!;
  lead.belief.mean = best.belief.mean + 0.5;
  expect(waitsFor(hand)).toMatch(
    /^its race needs an estimate 1 sd of one run better than the best; now it is 0\.[45]\d* sd better$/,
  );
  lead.belief.mean = best.belief.mean;
  expect(waitsFor(hand)).toBe('its race needs an estimate better than the best');
});

test.each([
  [4, 0, 'its race needs 12 runs; the budget of races has them after 80 more trials, or sooner if the lead improves'],
  [7, 0, null],
  [7, -3, 'its race can start after 20 more trials, since earlier races overdrew the budget of races'],
  [80, 0, null],
  [80, -3, 'its race can start after 20 more trials, since earlier races overdrew the budget of races'],
])('a lead %i sd ahead with a budget of %i runs waits for: %s', (inSd, runs, expected) => {
  const hand = ahead();
  hand.state.races = [];
  hand.state.effort = runs;
  const belief = (id: string) => hand.state.subjects.find(({ candidateId }) => candidateId === id)!.belief;
  belief('good').mean = belief('base').mean + inSd * Math.sqrt(hand.state.noise.ss / hand.state.noise.df);
  expect(waitsFor(hand)).toBe(expected);
});
