import { expect, test } from 'vitest';
import type { TrialReport } from '../../../../cli/render/show.ts';
import { forProposer } from '../../../../cli/render/show/for-proposer.ts';

const notesOf = (trial: object): string | null => {
  const report = { task: { evaluator: { type: 'none' } }, trial: { feedback: null, artefactCode: null, ...trial } };
  return forProposer(report as unknown as TrialReport).trial.evaluatorNotes;
};

test('a proposer reads notes of an evaluator, but no output of one that failed, which may quote held-out data', () => {
  expect(notesOf({ status: 'completed', evaluatorNotes: 'fine' })).toBe('fine');
  expect(notesOf({ status: 'cached', evaluatorNotes: 'the same candidate as trial 2' })).toContain('trial 2');
  expect(notesOf({ status: 'crashed', evaluatorNotes: 'the result begins with {"notes": …' })).toBe(null);
  expect(notesOf({ status: 'completed', evaluatorNotes: 'fine', artefactCode: 'a pickle' })).toBe(null);
});
