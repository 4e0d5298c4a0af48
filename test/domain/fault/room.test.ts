import { expect, test } from 'vitest';
import { unwrittenMb } from '../../../domain/fault/room.ts';

test('what runs may still write is what each may and has not; who wrote more takes nothing from the others', () => {
  expect(unwrittenMb([])).toBe(0);
  expect(
    unwrittenMb([
      { diskMb: 100, writtenMb: 30.5 },
      { diskMb: 10, writtenMb: 50 },
    ]),
  ).toBe(70);
});
