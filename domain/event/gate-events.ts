import { lead } from '../gate/gate.ts';
import type { Advance, GateState } from '../gate/types.ts';
import type { NewEvent } from './kinds.ts';
import { finiteOrNull } from '../json/number.ts';

/** Origin of a step: the research, the author of the conclusion, and the reason of a claim. */
interface Origin {
  researchId: string;
  by: 'gate' | 'person';
  reason: string;
}

/**
 * Events of a step of the gate: its rulings (the last one for each trial), a move of the lead, and a claim that is made
 * or taken back.
 */
export function gateEvents(before: GateState, advance: Advance, origin: Origin): NewEvent[] {
  const { state, rulings } = advance;
  const { researchId, by } = origin;
  const last = rulings.filter(({ n }, index) => !rulings.slice(index + 1).some((later) => later.n === n));
  const ruled = last.map(({ n, verdict, reason }): NewEvent => ({
    kind: 'trial-ruled',
    researchId,
    n,
    data: { verdict, reason, by },
  }));
  return [...ruled, ...leadMoved(before, state, researchId), ...claimChanged(before, advance, origin)];
}

function leadMoved(before: GateState, state: GateState, researchId: string): NewEvent[] {
  if (before.leadId === state.leadId) return [];
  const { candidateId, ofTrial, mean, n: runs } = lead(state);
  const data = { candidateId, previous: before.leadId, value: finiteOrNull(mean), runs };
  return [{ kind: 'lead-moved', researchId, n: ofTrial, data }];
}

/** Event of a changed claim. A claim for the predecessor, for the baseline or for nobody takes the current one back. */
function claimChanged(
  before: GateState,
  { state, rulings, claimed }: Advance,
  { researchId, by, reason }: Origin,
): NewEvent[] {
  if (claimed === null && before.incumbentId === state.incumbentId) return [];
  const isBack = claimed === null || [before.previousId, before.baselineId].includes(claimed.candidateId);
  if (!isBack) {
    const { candidateId, previous, value, sd, n: runs, ofTrial } = claimed;
    return [
      { kind: 'claim-made', researchId, n: ofTrial, data: { candidateId, previous, value, sd, runs, by, reason } },
    ];
  }
  const lost = before.subjects.find(({ candidateId }) => candidateId === before.incumbentId);
  const why = rulings.find(({ n }) => n === lost?.ofTrial)?.reason ?? reason;
  const data = {
    inPlace: claimed?.candidateId ?? null,
    inPlaceTrial: claimed?.ofTrial ?? null,
    value: claimed?.value ?? null,
    by,
    reason: why,
  };
  return [
    {
      kind: 'claim-taken-back',
      researchId,
      n: lost?.ofTrial ?? null,
      data: { candidateId: before.incumbentId, ...data },
    },
  ];
}
