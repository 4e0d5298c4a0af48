import { expect, test } from 'vitest';
import { FLOOR, floorOf } from '../../../domain/floor/floor.ts';
import { floorOfIdentity, identityOf, placeOfIdentity } from '../../../domain/floor/identity.ts';
import manifest from '../../../package.json' with { type: 'json' };

test('the floor is the minor version of the package', () => {
  expect(manifest.version.split('.')[1]).toBe(String(FLOOR));
});

test('a memo without a floor, or with one that is no number, is of the oldest code', () => {
  expect([undefined, {}, { floor: '2' }, { floor: FLOOR }].map(floorOf)).toEqual([0, 0, 0, FLOOR]);
});

test('a worker tells its version and where it runs by its name; one of 0.1 only where', () => {
  const name = identityOf({ pid: 12, host: 'box' });
  expect([floorOfIdentity(name), placeOfIdentity(name)]).toEqual([FLOOR, { pid: 12, host: 'box' }]);
  expect([floorOfIdentity('12@box'), placeOfIdentity('12@box')]).toEqual([0, { pid: 12, host: 'box' }]);
  expect([floorOfIdentity('somebody'), placeOfIdentity('somebody')]).toEqual([0, null]);
});
