import { expect, test } from 'vitest';
import { endWord, facetWord } from '../../../../dashboard/web/pages/trials/words.ts';

test('a verdict that counts at its end reads as it does at a row', () => {
  for (const verdict of ['keep', 'discard', 'confirm', 'absorbed'] as const)
    expect(endWord({ status: 'completed', verdict })).toBe(facetWord('verdict', verdict));
  for (const status of ['aborted', 'cached', 'crashed', 'timed_out', 'rejected'] as const)
    expect(endWord({ status, verdict: 'none' })).toBe(facetWord('status', status));
});

test('a trial under way tells whether it has begun to run', () => {
  expect(endWord({ status: null, verdict: 'none', startedAt: null })).toBe('being prepared');
  expect(endWord({ status: null, verdict: 'none', startedAt: '2026-01-01T00:00:00.000Z' })).toBe('running');
});
