import type { FailureLabel } from '../../trial.ts';
import type { OperatorName } from './table.ts';

/** The operator that repairs crashed candidates. */
export const FIXES: OperatorName = 'fix-the-crash';

/** Failures of a crashed trial that its candidate has caused, and that a change of the candidate may repair. */
export const FIXABLE = [
  'exit-code',
  'signal',
  'out-of-memory',
  'too-many-processes',
  'output-limit',
  'disk-limit',
  'artefact-missing',
  'artefact-too-large',
  'candidate-protocol',
] as const satisfies readonly FailureLabel[];
