import { expect, test } from 'vitest';
import { leftAlone, revived } from '../../../cli/up/start-research.ts';

const STOPPED = { id: 'nano-lm', phase: 'stopped' as const, reason: 'stopped by a person' };

test('a research that a person had stopped is said to be started again where its task was named', () => {
  expect(revived(STOPPED)).toBe('it had ended (stopped: stopped by a person), and perpetua up --task started it again');
});

test('the demo that a person had stopped stays so, and it is said how to go on with it', () => {
  expect(leftAlone(STOPPED)).toEqual([
    'nano-lm is stopped: stopped by a person. It is not started again. To go on with it: npx perpetua start nano-lm',
  ]);
});

test.each([
  ['is new', undefined],
  ['was under way', { id: 'x', phase: 'running' as const, reason: null }],
  ['is paused', { id: 'x', phase: 'paused' as const, reason: 'paused by a person; runs finish' }],
  ['is stopping', { id: 'x', phase: 'stopping' as const, reason: null }],
])('nothing is said of one that %s', (_, before) => {
  expect([revived(before), leftAlone(before)]).toEqual([null, null]);
});
