import type { Task } from '../../domain/task/task.ts';
import type { Failure, TrialKind } from '../../domain/trial.ts';

const HINT =
  'of what its run left, the answering program sees only the files that run.artefacts declares, and the task declares none';

/** Ends the message of an unmodified version that could not answer: it may read a file of its run that the task should declare. */
export function withUndeclared(
  { label, message }: Failure,
  { task: { evaluator, run }, kind }: { task: Pick<Task, 'evaluator' | 'run'>; kind: TrialKind },
): Failure {
  const fits = evaluator.type === 'interactive' && run.artefacts.length === 0 && kind === 'baseline';
  return { label, message: fits && label === 'candidate-protocol' ? `${message} (${HINT})` : message };
}
