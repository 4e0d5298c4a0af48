import { expect, test } from 'vitest';
import { reasonForPeople } from '../../../view/trial/describe-outcome.ts';

const FAILED = {
  failure: 'evaluator-failed' as const,
  failureMessage: 'expected exit code 0 of the evaluator; got 1',
  reason: 'crashed (evaluator-failed): expected exit code 0 of the evaluator; got 1',
  evaluatorNotes: null,
};
const HINT = 'If the candidate is at fault, the evaluator should exit with 3';

test('the reason of a failed evaluator has the last line of its output, without the candidate', () => {
  const evaluatorNotes = 'Traceback:\nKeyError: held_out\n\n--- the candidate said last:\nseven';
  expect(reasonForPeople({ ...FAILED, evaluatorNotes })).toBe(
    `${FAILED.reason}. The last line of its output: KeyError: held_out. ${HINT}`,
  );
  expect(reasonForPeople({ ...FAILED, evaluatorNotes: '--- the candidate said last:\nseven' })).toBe(
    `${FAILED.reason}. ${HINT}`,
  );
  expect(reasonForPeople({ ...FAILED, reason: null })).toBe(`${FAILED.failureMessage}. ${HINT}`);
});

test('any other reason is as it was stored', () => {
  const trial = { ...FAILED, failure: 'exit-code' as const, evaluatorNotes: 'secret' };
  expect(reasonForPeople(trial)).toBe(FAILED.reason);
  expect(reasonForPeople({ ...trial, reason: null })).toBe(FAILED.failureMessage);
  expect(reasonForPeople({ ...trial, reason: null, failureMessage: null })).toBeNull();
});
