import { expect, test } from 'vitest';
import { readSince } from '../../../cli/arguments/read-since.ts';

const NOW = new Date('2026-11-30T12:00:00Z');

test.each([
  ['90m', '2026-11-30T10:30:00.000Z'],
  ['9h', '2026-11-30T03:00:00.000Z'],
  ['1.5d', '2026-11-29T00:00:00.000Z'],
  ['2026-11-29T08:00Z', '2026-11-29T08:00:00.000Z'],
])('%s is a time', (text, time) => expect(readSince('--since', text, NOW).toISOString()).toBe(time));

test.each(['yesterday', '', '-3h', '3', '2026-12-01T00:00Z', '2026-99-99', '1e9d', '99999999999999d'])(
  '%j is refused',
  (text) => expect(() => readSince('--since', text, NOW)).toThrow('Expected --since to be a span'),
);
