import { expect, test } from 'vitest';
import { raceObstacle } from '../../../../domain/gate/gate.ts';
import { Hand, jitter } from '../support.ts';

const waitsFor = ({ config, state }: Hand, id = state.leadId) => raceObstacle(config, state, id)?.words ?? null;

/** A lead that is so far ahead that it is raced, if it can be. */
function ahead(): Hand {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'good', value: 5 });
  hand.answer((want) => (want.candidateId === 'good' ? 5 : 0) + jitter(hand.n), 1);
  return hand;
}

test('a lead that is raced waits for its own runs, another candidate for that race', () => {
  const hand = ahead();
  expect(hand.state).toMatchObject({ leadId: 'good', races: [{ candidateId: 'good', ofTrial: 11 }] });
  expect(waitsFor(hand)).toBe('the rest of its runs');
  hand.state.subjects.push({ ...hand.state.subjects[0]!, candidateId: 'other' });
  expect(waitsFor(hand, 'other')).toBe('the race of #11');
});

test('a lead waits for the budget of races, in runs of its race and trials that save them up', () => {
  const hand = ahead();
  hand.state.races = [];
  expect(waitsFor(hand)).toBeNull();
  hand.state.effort = 9;
  expect(waitsFor(hand)).toBe(
    'the budget of races: a race takes 12 runs, which are saved up after 20 more trials, sooner with a better lead',
  );
});

test('a lead that is hardly better waits for a better estimate', () => {
  const hand = ahead();
  hand.state.races = [];
  const lead = hand.state.subjects.find(({ candidateId }) => candidateId === 'good')!;
  const best = hand.state.subjects.find(({ candidateId }) => candidateId === 'base')!;
  lead.belief.mean = best.belief.mean + 0.5;
  expect(waitsFor(hand)).toMatch(/^an estimate 1 sd of one run better than the best; now it is 0\.[45]\d* sd$/);
  lead.belief.mean = best.belief.mean;
  expect(waitsFor(hand)).toBe('an estimate that is better than the best');
});

test.each([
  [
    4,
    0,
    'the budget of races: a race takes 12 runs, which are saved up after 80 more trials, sooner with a better lead',
  ],
  [7, 0, null],
  [
    7,
    -3,
    'the budget of races: earlier races took more runs than they had, which will be saved up after 20 more trials, sooner with a better lead',
  ],
  [80, 0, null],
  [
    80,
    -3,
    'the budget of races: earlier races took more runs than they had, which will be saved up after 20 more trials, sooner with a better lead',
  ],
])('a lead %i sd ahead with a budget of %i runs waits for: %s', (inSd, runs, expected) => {
  const hand = ahead();
  hand.state.races = [];
  hand.state.effort = runs;
  const belief = (id: string) => hand.state.subjects.find(({ candidateId }) => candidateId === id)!.belief;
  belief('good').mean = belief('base').mean + inSd * Math.sqrt(hand.state.noise.ss / hand.state.noise.df);
  expect(waitsFor(hand)).toBe(expected);
});
