import { creditOf } from '../../../domain/search/mixture/credit.ts';
import { NEIGHBOURS } from '../../../domain/search/proposer/table.ts';
import type { Conclusions, Outcome } from '../observer.ts';

/** Adds an outcome to the credit of the arm that its trial began with. */
export async function creditArm({ tx, research, trial, incomparableReason }: Outcome): Promise<Partial<Conclusions>> {
  if (trial.arm === null || trial.status === null) return {};
  const { usd, ...rank } = await tx.research.rankAmongLast({ trial, direction: research.gateConfig.direction });
  const isScored = trial.status === 'completed' && trial.value !== null;
  const credit = creditOf({
    status: trial.status,
    // A value of another research cost nothing here, so that it says nothing about the arm.
    isExcluded: incomparableReason !== null || trial.failure === 'stopped-by-operator' || trial.reusedFrom !== null,
    isCopy: (trial.runsBefore ?? 0) > 0 || trial.proposer === NEIGHBOURS,
    rank: isScored ? rank : null,
    seconds: trial.seconds ?? 0,
    usd,
  });
  await tx.research.creditArm({ trial, credit });
  return {};
}
