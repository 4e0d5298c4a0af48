import { reasonOfFailure, verdictOfFailure } from '../../../domain/trial/outcome.ts';
import { advance, isBaselineGivenUp, type Ruling, skipTrial } from '../../../domain/gate/gate.ts';
import type { Conclusions, Outcome } from '../observer.ts';
import { storeAdvance } from '../store-advance.ts';

/** Applies the gate to an outcome that can be compared. A ruling may concern an earlier trial. */
export async function applyGate({ tx, research, trial, incomparableReason }: Outcome): Promise<Conclusions> {
  const { n, candidateId, status } = trial;
  if (!candidateId || incomparableReason !== null) {
    const reason = status === 'completed' && incomparableReason !== null ? incomparableReason : reasonOfFailure(trial);
    await tx.trial.writeRuling({ researchId: research.id, n, verdict: 'none', reason });
    await tx.research.updateResearch(research.id, { gate: skipTrial(research.gate, n) });
    return { verdict: 'none', advance: null };
  }
  const copy = await isCopy(tx, trial);
  const advanced = advance(research.gateConfig, research.gate, {
    n,
    kind: trial.kind,
    candidateId,
    parentId: trial.parentId,
    ofTrial: trial.ofTrial,
    seed: trial.seed,
    value: status === 'completed' ? trial.value : null,
    censored: status === 'lost' || status === 'aborted',
    stopped: trial.failure === 'cannot-win',
    copy,
    reused: trial.reusedFrom !== null,
  });
  const failed = { n, verdict: copy ? ('none' as const) : verdictOfFailure(trial), reason: reasonOfFailure(trial) };
  const ended = status === 'completed' ? advanced.rulings : [...advanced.rulings, failed];
  const { reusedFrom } = trial;
  const rulings = reusedFrom === null ? ended : ended.map((ruling) => labelReused(ruling, { n, reusedFrom }));
  const concluded = { ...advanced, rulings };
  await storeAdvance(tx, research, concluded);
  if (isBaselineGivenUp(advanced.state) && !isBaselineGivenUp(research.gate))
    await tx.research.withdrawBaselineRuns(research.id);
  return { verdict: rulings.findLast((ruling) => ruling.n === n)?.verdict ?? 'none', advance: concluded };
}

/** Names the origin of a value in the ruling on its trial. */
const labelReused = (ruling: Ruling, { n, reusedFrom }: { n: number; reusedFrom: string }): Ruling =>
  ruling.n === n ? { ...ruling, reason: `value of ${reusedFrom}, reused; ${ruling.reason}` } : ruling;

/** True for a search run of a candidate of which another run has ended before. */
async function isCopy(tx: Outcome['tx'], trial: Outcome['trial']): Promise<boolean> {
  if (trial.kind !== 'search' || trial.status === 'cached') return false;
  return (await tx.trial.findOtherRuns(trial)).some(({ status }) => status !== null);
}
