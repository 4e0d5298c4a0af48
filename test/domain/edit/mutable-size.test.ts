import { expect, it } from 'vitest';
import { MOST_MUTABLE_BYTES, tooLargeTogether } from '../../../domain/edit/mutable-size.ts';

it('the mutable files may have 1 MiB in UTF-8 together, and the excess names the sum and the largest file', () => {
  const half = 'x'.repeat(MOST_MUTABLE_BYTES / 2);
  expect(tooLargeTogether({ 'a.py': half, 'b.py': half })).toBeNull();
  expect(tooLargeTogether({ 'a.py': half, 'b.py': `${half}ä`, 'c.py': '' })).toBe(
    'expected at most 1048576 bytes of mutable files in all, got 1048578; the largest is "b.py" with 524290',
  );
});
