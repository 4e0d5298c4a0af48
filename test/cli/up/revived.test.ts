import { expect, test } from 'vitest';
import { revived } from '../../../cli/up/revived.ts';

test('a research that a person had stopped is said to be started again, and how to start none', () => {
  expect(revived({ phase: 'stopped', reason: 'stopped by a person' })).toBe(
    'it had ended (stopped: stopped by a person), and npm start started it again; npm start -- --no-demo starts none',
  );
});

test.each([
  ['is new', undefined],
  ['was under way', { phase: 'running' as const, reason: null }],
  ['is paused', { phase: 'paused' as const, reason: 'paused by a person; runs finish' }],
])('nothing is said of one that %s', (_, before) => {
  expect(revived(before)).toBeNull();
});
