import { shownCases } from '../../../domain/metric/feedback.ts';
import type { TrialReport } from '../show.ts';

/**
 * A trial as a proposer may read it: without cases of the evaluator that it marks `heldOut`, or without any. The output
 * of an evaluator that failed, and notes that code of an artefact may have written, are left out, too.
 */
export function forProposer(shown: TrialReport): TrialReport {
  const { evaluator } = shown.task;
  const { feedback } = shown.trial;
  const isShown = evaluator.type !== 'none' && evaluator.feedback === true && shown.trial.artefactCode === null;
  const cases = feedback === null || !isShown ? null : shownCases(feedback);
  const { status, evaluatorNotes, artefactCode } = shown.trial;
  const isReport = (status === 'completed' && artefactCode === null) || status === 'cached';
  const notes = isReport ? evaluatorNotes : null;
  return { ...shown, trial: { ...shown.trial, feedback: cases, evaluatorNotes: notes } };
}
