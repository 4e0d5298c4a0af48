import { expect, test } from 'vitest';
import { changedLines, nearestDistance } from '../../../../domain/search/reward.ts';

const original = { 'a.env': 'LR=1\nSIZE=2\n', 'b.py': 'pass\n' };
const change = (files: Record<string, string>) => changedLines(original, { ...original, ...files });

test('a change is its new and its old lines, by path', () => {
  expect(change({ 'a.env': 'LR=3\nSIZE=2\n' })).toEqual(new Set(['+a.env\nLR=3', '-a.env\nLR=1']));
  expect(changedLines(original, { 'a.env': original['a.env'] })).toEqual(new Set(['-b.py\npass', '-b.py\n']));
  expect(change({})).toEqual(new Set());
});

test('its distance is that of the nearest of the others: 0 for the same, 1 for nothing in common', () => {
  const lr3 = change({ 'a.env': 'LR=3\nSIZE=2\n' });
  const lr4 = change({ 'a.env': 'LR=4\nSIZE=2\n' });
  const size = change({ 'a.env': 'LR=1\nSIZE=5\n' });
  expect(nearestDistance(lr3, [])).toBe(1);
  expect(nearestDistance(lr3, [size])).toBe(1);
  // One line of three in common: that LR=1 is gone.
  expect(nearestDistance(lr3, [size, lr4])).toBeCloseTo(2 / 3, 12);
  expect(nearestDistance(lr3, [lr4, lr3, size])).toBe(0);
  expect(nearestDistance(change({}), [size])).toBe(0);
});
