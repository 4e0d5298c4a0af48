import { expect, test } from 'vitest';
import { gainText, intervalNote, meanText } from '../../../../dashboard/web/parts/value.tsx';

const EXACT = { value: 0.9133, low: null, high: null, sd: 0 };

test('a value of which no run varied has no interval, and the note says why', () => {
  expect(meanText(EXACT, EXACT.sd)).toBe('0.9133');
  expect(intervalNote(EXACT)).toBe('no interval, since no run varied');
  expect(intervalNote({ ...EXACT, sd: null })).toBe('no interval yet');
  expect(intervalNote({ ...EXACT, low: 0.9, high: 0.92, sd: 0.01 })).toBe('± 95 % interval');
});

test('a gain without spread has no interval', () => {
  expect(gainText({ value: 0.5, low: 0.5, high: 0.5 })).toBe('+0.5000');
  expect(gainText({ value: 0.5, low: 0.4, high: 0.6 })).toContain(' to ');
});
