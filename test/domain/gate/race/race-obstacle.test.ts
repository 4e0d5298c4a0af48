import { expect, test } from 'vitest';
import { raceObstacle } from '../../../../domain/gate/gate.ts';
import { GateDriver, jitter } from '../support.ts';

const obstacleOf = ({ config, state }: GateDriver, id = state.leadId) => raceObstacle(config, state, id)?.words ?? null;

/** A lead so far withLeadAhead that it is raced if a race is possible. */
function withLeadAhead(): GateDriver {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'good', value: 5 });
  driver.answer((want) => (want.candidateId === 'good' ? 5 : 0) + jitter(driver.n), 1);
  return driver;
}

test('a lead in a race waits for its own runs, another candidate waits for that race', () => {
  const driver = withLeadAhead();
  expect(driver.state).toMatchObject({ leadId: 'good', races: [{ candidateId: 'good', ofTrial: 11 }] });
  expect(obstacleOf(driver)).toBe('its race is under way');
  driver.state.subjects.push({ ...driver.state.subjects[0]!, candidateId: 'other' });
  expect(obstacleOf(driver, 'other')).toBe('its race waits for the race of #11');
});

test('a lead waits for the budget of races, stated in runs of its race and trials until they are saved', () => {
  const driver = withLeadAhead();
  driver.state.races = [];
  expect(obstacleOf(driver)).toBeNull();
  driver.state.effort = 9;
  expect(obstacleOf(driver)).toBe(
    'its race needs 12 runs; the budget of races has them after 20 more trials, or sooner if the lead improves',
  );
});

test('a lead that is hardly better waits for a better estimate', () => {
  const driver = withLeadAhead();
  driver.state.races = [];
  const lead = driver.state.subjects.find(({ candidateId }) => candidateId === 'good')!;
  const best = driver.state.subjects.find(({ candidateId }) => candidateId === 'base')!;
  lead.belief.mean = best.belief.mean + 0.5;
  expect(obstacleOf(driver)).toMatch(
    /^its race needs an estimate 1 sd of one run better than the best; now it is 0\.[45]\d* sd better$/,
  );
  lead.belief.mean = best.belief.mean;
  expect(obstacleOf(driver)).toBe('its race needs an estimate better than the best');
});

test.each([
  [4, 0, 'its race needs 12 runs; the budget of races has them after 80 more trials, or sooner if the lead improves'],
  [7, 0, null],
  [7, -3, 'its race can start after 20 more trials, since earlier races overdrew the budget of races'],
  [80, 0, null],
  [80, -3, 'its race can start after 20 more trials, since earlier races overdrew the budget of races'],
])('a lead %i sd withLeadAhead with a budget of %i runs waits for: %s', (inSd, runs, expected) => {
  const driver = withLeadAhead();
  driver.state.races = [];
  driver.state.effort = runs;
  const belief = (id: string) => driver.state.subjects.find(({ candidateId }) => candidateId === id)!.belief;
  belief('good').mean = belief('base').mean + inSd * Math.sqrt(driver.state.noise.ss / driver.state.noise.df);
  expect(obstacleOf(driver)).toBe(expected);
});
