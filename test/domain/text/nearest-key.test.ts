import { expect, test } from 'vitest';
import { nearestKey } from '../../../domain/text/nearest-key.ts';

const KEYS = ['trials', 'direction', 'seconds', 'minDelta', 'mutable', 'min'];

test.each([
  ['trails', 'trials'],
  ['Trials', 'trials'],
  ['min_delta', 'minDelta'],
  ['dir', 'direction'],
  ['secs', 'seconds'],
  ['mutable_files', 'mutable'],
  ['mni', 'min'],
  ['windows', null],
  ['', null],
  ['x'.repeat(5000), null],
])('the name most like %s is %s', (came, nearest) => expect(nearestKey(came, KEYS)).toBe(nearest));

test('none is near where none is known', () => expect(nearestKey('trials', [])).toBeNull());
