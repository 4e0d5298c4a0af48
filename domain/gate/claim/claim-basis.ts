import { plural } from '../../text/plural.ts';
import { isDeterministic, subjectOf } from '../subject.ts';
import type { GateConfig, GateState } from '../types.ts';
import { describeOwnAgreement } from './agreement.ts';
import { isClaimByPerson } from './claim.ts';
import { strictBasis } from './strict.ts';

/** Basis of the incumbent's claim. */
export interface ClaimBasis {
  /** Requested runs of the incumbent that failed. */
  failed: number;
  /** The rule, the runs that agree and the failures, as a clause; null for a race without failures. */
  basis: string | null;
}

/** Finds the basis of the incumbent's claim; the unmodified version has none. */
export function claimBasis(config: Pick<GateConfig, 'policy' | 'repeats'>, state: GateState): ClaimBasis {
  const subject = subjectOf(state, state.incumbentId);
  const { failed = 0, completed = 0, claimedOnTies = false } = subject;
  if (state.incumbentId === state.baselineId) return { failed, basis: null };
  const parts: string[] = [];
  if (!isClaimByPerson(state)) {
    if (config.policy === 'strict') parts.push(strictBasis(config.repeats));
    else if (isDeterministic(state) || claimedOnTies) parts.push(describeOwnAgreement(subject));
  }
  if (failed > 0) parts.push(`${failed} of its ${plural(failed + completed, 're-run')} failed`);
  return { failed, basis: parts.length > 0 ? parts.join('; ') : null };
}
