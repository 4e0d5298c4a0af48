import { expect, test } from 'vitest';
import { startLastRace } from '../../../domain/gate/gate.ts';
import { KEEP_POLICIES } from '../../../domain/search/keep.ts';
import { GateDriver } from './support.ts';

test.each(KEEP_POLICIES)('a gate (%s) that only measures claims nothing and requests no run', (policy) => {
  const driver = new GateDriver({ policy, followsLead: false, measuresOnly: true });
  driver.feed({ value: 50 });
  driver.calibrate();
  for (let i = 0; i < 40; i += 1) driver.feed({ value: 50, candidateId: 'good' });
  driver.feed({ value: null });
  expect(driver.claims).toEqual([]);
  expect(driver.wanted.filter(({ kind }) => kind !== 'baseline')).toEqual([]);
  expect(new Set(driver.rulings.map(({ verdict }) => verdict))).toEqual(new Set(['none']));
  expect(driver.state).toMatchObject({ incumbentId: 'base', leadId: 'base', held: [], calibrating: null });
  expect(startLastRace(driver.config, driver.state)).toBeNull();
});
