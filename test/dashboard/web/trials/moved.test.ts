import { expect, it } from 'vitest';
import { moved } from '../../../../dashboard/web/pages/trials/moved.ts';

const list = { page: 10, length: 25 };

it('a key moves within the list, and stays at its ends', () => {
  expect(moved('ArrowDown', { ...list, at: -1 })).toBe(0);
  expect(moved('ArrowDown', { ...list, at: 24 })).toBe(24);
  expect(moved('ArrowUp', { ...list, at: 0 })).toBe(0);
  expect(moved('PageDown', { ...list, at: 20 })).toBe(24);
  expect(moved('PageUp', { ...list, at: 14 })).toBe(4);
  expect(moved('Home', { ...list, at: 14 })).toBe(0);
  expect(moved('End', { ...list, at: 14 })).toBe(24);
});

it('other keys, and an empty list, move nothing', () => {
  expect(moved('a', { ...list, at: 3 })).toBeNull();
  expect(moved('End', { page: 10, length: 0, at: -1 })).toBeNull();
});
