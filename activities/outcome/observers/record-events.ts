import { countOutcome, spendOf } from '../../../domain/research/budget.ts';
import type { NewEvent } from '../../../domain/event/kinds.ts';
import { gateEvents } from '../../../domain/event/gate-events.ts';
import { budgetEvents } from '../../../domain/event/budget-events.ts';
import { reasonOfClaim } from '../reason-of-claim.ts';
import type { Conclusions, Outcome } from '../observer.ts';

/**
 * Stores the events of an outcome: its end, rulings on it and on earlier trials, lead, claim, and shares of the budget.
 */
export async function recordEvents(
  { tx, research, trial }: Outcome,
  { advance }: Conclusions,
): Promise<Partial<Conclusions>> {
  const { id: researchId, budget } = research;
  const { n, kind, failure, value, seconds } = trial;
  // The spend that `countSpend` stored before.
  const spend = spendOf({ ...research, ...countOutcome(research, trial) });
  const ended: NewEvent = {
    kind: 'trial-ended',
    researchId,
    n,
    data: { kind, status: trial.status ?? 'lost', failure, value, seconds },
  };
  const advanced = advance
    ? gateEvents(research.gate, advance, { researchId, by: 'gate', reason: reasonOfClaim(advance) })
    : [];
  await tx.event.insertEvents([ended, ...advanced, ...budgetEvents(researchId, budget, spend)]);
  return {};
}
