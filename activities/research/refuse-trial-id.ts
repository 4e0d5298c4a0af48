import { parseTrialId } from '../../domain/trial/ids.ts';
import { refuse } from '../task/refuse.ts';

/** Refuses a workflow id for a research that is the id of a trial of another research. */
export function refuseTrialId(researchId: string): void {
  const named = parseTrialId(researchId);
  if (named)
    throw refuse(
      `workflow id: expected one that does not end in /number, got ${researchId}: ` +
        `it is the id of trial ${named.n} of a research ${named.researchId}; start it under another one`,
      'BadInput',
    );
}
