import { describe, expect, it } from 'vitest';
import { describeLearned, type LearningRow } from '../../../view/policy/learning.ts';

const row = (update: number, reward: number | null, gates: string[] = []): LearningRow => ({
  ...{ update, reward, gates },
  legal: 1,
  entropy: 1,
});

describe('describeLearned', () => {
  it('compares the mean of the first five updates with that of the last five, and tells references and gates', () => {
    const rewards = [-0.5, -0.4, -0.6, -0.4, -0.6, 0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.4, 0.6];
    const rows = rewards.map((reward, index) => row(index + 1, reward, index > 10 ? ['entropy (adjust)'] : []));
    expect(describeLearned(rows, [{ name: 'best constant', value: 0.6 }])).toBe(
      'mean reward from -0.50 (updates 1 to 5) to 0.50 (updates 9 to 13); best constant 0.60; gates that fired: entropy (adjust) 2 times',
    );
  });

  it('counts no update in both ends, and none without a reward', () => {
    expect(describeLearned([row(1, null), row(2, -1), row(3, 0), row(4, 1)])).toBe(
      'mean reward from -1.00 (update 2) to 1.00 (update 4); gates that fired: none',
    );
    expect(describeLearned([row(1, null)])).toBeNull();
  });
});
