import { describe, expect, it } from 'vitest';
import { describeLearning, learningLines, type LearningView } from '../../../view/policy/learning.ts';
import { noticeLines } from '../../../view/notices.ts';
import { statusRows } from '../../../view/rows.ts';
import { VIEW } from '../support/view.ts';

const NEW: LearningView = {
  version: 0,
  checkpoint: null,
  pinned: false,
  halted: null,
  update: null,
  batch: { k: 1, joined: 0, ended: 0, of: 16 },
  evaluationSamples: null,
  rewards: [],
};
const OLD: LearningView = {
  version: 3,
  checkpoint: 'a'.repeat(64),
  pinned: false,
  halted: null,
  update: { k: 4, dueAt: '2026-11-01T12:00:00.000Z', begunAt: '2026-11-01T12:00:01.000Z' },
  batch: { k: 5, joined: 9, ended: 7, of: 16 },
  evaluationSamples: { ended: 20, of: 64 },
  rewards: [-0.3, 0.05].map((mean, index) => ({ k: index + 2, mean, samples: 16 })),
};

describe('the learning of a research in words', () => {
  it.each([
    ['the base model in force · batch 1: 0 of 16 samples, 0 ended', NEW],
    [
      'version 3 in force (aaaaaaaaaaaa) · update 4 is under way · batch 5: 9 of 16 samples, ' +
        '7 ended · mean reward -0.3, 0.05 in the last 2 batches · evaluations: 20 of 64 samples ended',
      OLD,
    ],
    ['the base model in force · pinned · learning is halted', { ...NEW, pinned: true, halted: 'x', batch: null }],
  ])('%s', (text, view) => {
    expect(describeLearning(view)).toBe(text);
  });

  it('is a row of the status', () => {
    expect(statusRows({ learning: OLD })).toEqual([['policy', describeLearning(OLD)]]);
    expect(statusRows({ learning: null })).toEqual([]);
  });
});

describe('an obstacle to learning', () => {
  it('is a line with the command to go on', () => {
    const learning = { ...OLD, pinned: true, halted: 'entropy fell\x1b[31m' };
    expect(learningLines({ workflowId: 'toy', learning })).toEqual([
      'the policy is pinned to version 3 and learns nothing. To learn again: npx perpetua policy pin toy --off',
      'learning is halted: entropy fell. To continue from version 3: npx perpetua policy rollback toy 3',
    ]);
    expect(noticeLines({ ...VIEW, learning }, new Date())).toEqual(
      expect.arrayContaining(learningLines({ workflowId: 'toy', learning })),
    );
  });

  it('has no line if there is none', () => {
    expect(learningLines({ workflowId: 'toy', learning: OLD })).toEqual([]);
    expect(learningLines({ workflowId: 'toy', learning: null })).toEqual([]);
  });
});
