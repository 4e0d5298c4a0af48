import { expect, it } from 'vitest';
import { mergeRepeats } from '../../../domain/search/context/trials.ts';
import type { HistoryEntry } from '../../../domain/prompt/prompt-input.ts';

const entry = (n: number, more: Partial<HistoryEntry>): HistoryEntry => ({
  ...{ n, hypothesis: `idea ${n}`, status: 'completed', failure: null, value: n, verdict: 'discard', reason: '' },
  ...more,
});
const shape = (history: HistoryEntry[]): number[][] =>
  mergeRepeats(history).map(({ first, again }) => [first.n, ...again.map(({ n }) => n)]);

it('takes trials with one candidate, or one diff, for one idea, and keeps the others apart', () => {
  const history = [
    entry(1, { candidateId: 'a', diff: '+x' }),
    entry(2, { candidateId: 'b', diff: '+y' }),
    entry(3, { candidateId: 'c', diff: '+x' }),
    entry(4, { candidateId: 'b', diff: '+z', status: 'cached' }),
    entry(5, { candidateId: null, diff: null }),
    entry(6, { candidateId: null, diff: null }),
  ];
  expect(shape(history)).toEqual([[1, 3], [2, 4], [5], [6]]);
});

it('puts the trial that ran before its copies, also where it has the higher number', () => {
  expect(shape([entry(3, { candidateId: 'a', status: 'cached' }), entry(4, { candidateId: 'a' })])).toEqual([[4, 3]]);
});
