import { expect, test } from 'vitest';
import { describeNear } from '../../../../domain/prompt/describe-known-outcome.ts';
import { changeText, similarity } from '../../../../domain/search/known/near.ts';

test('a change has the lines that a candidate adds and removes, and not those that moved', () => {
  const parent = { 'a.py': 'x = 1\ny = 2\nz = 3\n', 'b.py': 'same\n' };
  expect(changeText(parent, { ...parent, 'a.py': 'z = 3\nx = 1\ny = 4\n' })).toBe('a.py\n-y = 2\n+y = 4');
  expect(changeText(parent, parent)).toBe('');
  expect(changeText({}, { 'a.py': 'x\nx' })).toBe('a.py\n+x\n+x');
  expect(changeText({ 'a.py': 'x' }, { 'a.py': 'x\nx' })).toBe('a.py\n+x');
});

test('similarity is 1 for equal texts, falls with the distance, stays within 0 and 1, and is symmetric', () => {
  expect([similarity('', '', 0), similarity('abc', 'abc', 0), similarity('abc', 'xyz', 0)]).toEqual([1, 1, 0]);
  const base = 'learning_rate = 0.001';
  const values = [base, 'learning_rate = 0.002', 'learning_rate = 0.25', 'optimizer = "lion"'];
  const similar = values.map((value) => similarity(base, value, 0) ?? 0);
  expect(similar).toEqual(similar.toSorted((a, b) => b - a));
  expect(similar[1]).toBeCloseTo(20 / 21, 12);
  expect(values.map((value) => similarity(value, base, 0))).toEqual(similar);
});

test('texts below the least similarity, of other lengths, and too long ones are not near', () => {
  expect(similarity('abcd', 'abcx', 0.75)).toBe(0.75);
  expect(similarity('abcd', 'abcx', 0.76)).toBeNull();
  expect(similarity('a', 'a'.repeat(100), 0.5)).toBeNull();
  expect(similarity('a'.repeat(8001), 'a'.repeat(8001), 0.5)).toBeNull();
});

test('a model reads which trial its change is like, and how that went', () => {
  const seen = { n: 7, status: 'completed', value: 2.634, failure: null } as const;
  expect(describeNear(seen, { metric: 'loss', similar: 0.979 })).toBe(
    'nearly tried before: these edits are 97 % like those of trial 7 of the same parent, which gave loss 2.634. ' +
      'Propose edits that differ more.',
  );
});
