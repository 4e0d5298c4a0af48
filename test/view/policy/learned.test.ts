import { describe, expect, it } from 'vitest';
import { comparedUpdates, describeLearned, type Learned } from '../../../view/policy/learned.ts';
import type { LearningRow } from '../../../view/policy/learning.ts';

const row = (update: number, reward: number | null, gates: string[] = []): LearningRow => ({
  update,
  reward,
  gates,
  legal: 1,
  entropy: 1,
});
const LEARNED: Learned = {
  first: { from: 1, to: 1, reward: { n: 16, mean: -0.5, standardError: 0.1 } },
  last: { from: 9, to: 13, reward: { n: 80, mean: 0.4, standardError: 0.05 } },
  references: [],
};

describe('the summary of what a policy learnt', () => {
  it('states what learning bought beyond the first draws, with its interval, and whose values these are', () => {
    expect(describeLearned(LEARNED, [])).toBe(
      'learning bought 0.90 ± 0.24 (95 %) of mean reward beyond the first draws: from -0.50 (update 1) to 0.40 ' +
        '(updates 9 to 13), by values that the policy learnt from; gates that fired: none',
    );
  });

  it('says that the error is unknown, and compares nothing after one batch', () => {
    const first = { ...LEARNED.first, reward: { ...LEARNED.first.reward, standardError: null } };
    expect(describeLearned({ ...LEARNED, first }, [])).toContain('learning bought 0.90, with an unknown error, of');
    expect(describeLearned({ ...LEARNED, last: null }, [])).toBe(
      'mean reward -0.50 (update 1); gates that fired: none',
    );
  });

  it('has each reference with its shift, or with the reason why it stays, and the gates that fired', () => {
    const references = [
      { name: 'best constant', value: 0.53, shift: -0.07, stays: null },
      { name: 'same baseline', value: 0.6, shift: 0.001, stays: null },
      { name: 'at random', value: -0.44, shift: 0, stays: 'it names no baseline' },
    ];
    const rows = [row(1, 0, ['entropy (adjust)']), row(2, 0, ['entropy (adjust)', 'success (tell)'])];
    expect(describeLearned({ ...LEARNED, references }, rows)).toContain(
      '; best constant 0.53 (0.60, shifted to this baseline); same baseline 0.60; ' +
        'at random -0.44 (not shifted to this baseline: it names no baseline); ' +
        'gates that fired: entropy (adjust) 2 times, success (tell) 1 time',
    );
  });
});

describe('the compared updates', () => {
  it('are the first with a reward and up to five last ones, and none is both', () => {
    const all = Array.from({ length: 13 }, (_, index) => row(index + 1, 0));
    expect(comparedUpdates(all)).toEqual({ first: [1], last: [9, 10, 11, 12, 13] });
    expect(comparedUpdates([row(1, null), row(2, -1), row(3, null), row(4, 1)])).toEqual({ first: [2], last: [4] });
    expect(comparedUpdates([row(3, 1)])).toEqual({ first: [3], last: [] });
    expect(comparedUpdates([row(1, null)])).toBeUndefined();
  });
});
