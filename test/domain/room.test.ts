import { expect, test } from 'vitest';
import { ballastMove, unwrittenMb } from '../../domain/room.ts';

test('what runs may still write is what each may and has not; who wrote more takes nothing from the others', () => {
  expect(unwrittenMb([])).toBe(0);
  expect(
    unwrittenMb([
      { diskMb: 100, ownMb: 30.5 },
      { diskMb: 10, ownMb: 50 },
    ]),
  ).toBe(70);
});

test('room is put aside where there is plenty, and given up where there is next to none', () => {
  expect(ballastMove({ freeMb: 4097, isThere: false })).toBe('make');
  expect(ballastMove({ freeMb: 4096, isThere: false })).toBeNull();
  expect(ballastMove({ freeMb: 64, isThere: true })).toBeNull();
  expect(ballastMove({ freeMb: 63, isThere: true })).toBe('give up');
  expect(ballastMove({ freeMb: 63, isThere: false })).toBeNull();
});
