import { expect, test } from 'vitest';
import { endWord, facetWord } from '../../../../dashboard/web/pages/trials/words.ts';

test('a verdict that counts at its end reads as it does at a row', () => {
  for (const verdict of ['keep', 'discard', 'confirm', 'absorbed'] as const)
    expect(endWord({ status: 'completed', verdict })).toBe(facetWord('verdict', verdict));
  for (const status of ['aborted', 'cached', 'crashed', 'timed_out', 'rejected'] as const)
    expect(endWord({ status, verdict: 'none' })).toBe(facetWord('status', status));
});

test('a trial under way tells how far it is', () => {
  const open = { status: null, verdict: 'none' } as const;
  expect(endWord({ ...open, stage: 'waiting for a slot', share: null })).toBe('waiting for a slot');
  expect(endWord({ ...open, stage: 'running', share: 0.42 })).toBe('running 42 %');
  expect(endWord(open)).toBe('under way');
});
