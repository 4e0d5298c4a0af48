import { expect, test } from 'vitest';
import { lead } from '../../../domain/gate/gate.ts';
import { GateDriver } from './support.ts';

/** Answers the wanted runs of the lead with this value, and all others with 0. */
const answerWants = (driver: GateDriver, value: number): void =>
  driver.answer((want) => (want.candidateId === 'huge' ? value : 0), 40);

test('a gain of many sd is estimated as measured, and worse candidates do not take the lead', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'huge', value: 80 });
  expect(lead(driver.state)).toMatchObject({ candidateId: 'huge' });
  expect(lead(driver.state).estimate).toBeCloseTo(80, 6);
  answerWants(driver, 80);
  for (const value of [77, 60, 10]) driver.feed({ parentId: 'huge', value });
  expect(lead(driver.state).candidateId).toBe('huge');
  expect(driver.verdictOf(driver.n)).toMatchObject({ verdict: 'discard' });
  expect(driver.verdictOf(driver.n)?.reason).toMatch(/^expected gain over the lead -7\d/);
});

test('a loss of many sd is reported as a loss', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'awful', value: -500 });
  expect(driver.verdictOf(driver.n)?.reason).toMatch(/^expected gain over the lead -(49|50)\d/);
});

test('a lead that cannot be run again is given up, and the search goes on', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'huge', value: 80 });
  expect(lead(driver.state).candidateId).toBe('huge');
  let failed = 0;
  for (let i = 0; i < 60; i += 1) {
    driver.feed({ parentId: 'base', value: -9 });
    driver.answer((want) => {
      if (want.candidateId === 'huge') failed += 1;
      return want.candidateId === 'huge' ? null : 0.1 * driver.n;
    }, 200);
  }
  expect(driver.wanted).toEqual([]);
  expect(failed).toBeLessThan(40);
  expect(lead(driver.state).candidateId).toBe('base');
  expect(driver.verdictOf(11)).toMatchObject({ verdict: 'discard' });
});
