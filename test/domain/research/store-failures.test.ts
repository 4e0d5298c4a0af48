import { expect, test } from 'vitest';
import { STORE_MESSAGE, storeHold } from '../../../domain/research/store-failures.ts';

const FULL = `${STORE_MESSAGE}: could not extend file "base/5/16": No space left on device`;
const failures = (inARow: number, secondsSince = 0) => ({ inARow, message: FULL, secondsSince });

test('two ends by the database in a row hold nothing, three do, with the words of the database', () => {
  expect(storeHold(null, { running: 0 })).toBeNull();
  expect(storeHold(failures(2), { running: 0 })).toBeNull();
  expect(storeHold(failures(3), { running: 0 })).toEqual({
    room: 0,
    reason:
      'database: it could not store the last trials: could not extend file "base/5/16": No space left on device. ' +
      'Mend the database; one trial every 5 minutes tries again',
  });
});

test('one trial tries again five minutes after the last end, and no other one while it runs', () => {
  const roomAfter = (seconds: number, running: number) => storeHold(failures(9, seconds), { running })?.room;
  expect([roomAfter(299, 0), roomAfter(300, 0), roomAfter(1e6, 0), roomAfter(1e6, 1)]).toEqual([0, 1, 1, 0]);
});

test('the reason stays the same while more trials fail, so that no alert is repeated', () => {
  expect(storeHold(failures(30, 7), { running: 1 })?.reason).toBe(storeHold(failures(3), { running: 0 })?.reason);
});
