import { expect, test } from 'vitest';
import { ganttSpan } from '../../../view/page/thin.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const at = (text: string): string => `2026-11-${text}:00.000Z`;

test.each([
  ['the last day', {}, at('19T12:00'), at('20T12:00')],
  ['from then to now', { from: at('20T09:00') }, at('20T09:00'), at('20T12:00')],
  ['a day from then', { from: at('10T09:00') }, at('10T09:00'), at('11T09:00')],
  ['a day up to then', { to: at('15T09:00') }, at('14T09:00'), at('15T09:00')],
  ['the last day of a longer stretch', { from: at('01T00:00'), to: at('15T09:00') }, at('14T09:00'), at('15T09:00')],
  [
    'no time where it ends before it begins',
    { from: at('15T09:00'), to: at('14T09:00') },
    at('14T09:00'),
    at('14T09:00'),
  ],
  [
    'the first day that it knows before there was time',
    { to: '0000-01-01T00:00:00Z' },
    '1970-01-01T00:00:00.000Z',
    '1970-01-02T00:00:00.000Z',
  ],
])('%s', (_, asked, from, to) => {
  expect(ganttSpan(NOW, asked)).toEqual({ from, to });
});
