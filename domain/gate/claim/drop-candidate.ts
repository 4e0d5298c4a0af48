import type { GateState } from '../types.ts';

/** Removes a candidate from all races, comparisons and queues, and from the lead. The incumbent stays. */
export function dropCandidate(state: GateState, candidateId: string): void {
  state.races = state.races.filter((race) => race.candidateId !== candidateId);
  state.exactClaims = (state.exactClaims ?? []).filter((waiting) => waiting.candidateId !== candidateId);
  state.probes = state.probes.filter((probe) => probe.candidateId !== candidateId);
  state.queue = state.queue.filter((id) => id !== candidateId);
  state.gathering = state.gathering.filter((id) => id !== candidateId);
  state.held = state.held.filter((held) => held.candidateId !== candidateId);
  state.trail = state.trail.filter((id) => id !== candidateId);
  if (state.leadId === candidateId && state.incumbentId !== candidateId) state.leadId = state.incumbentId;
}
