import type { Store } from '../../db/store.ts';
import { eventsOfAdvance } from '../../domain/event/of-advance.ts';
import { override } from '../../domain/gate/claim/override.ts';
import type { OverrideVerdict } from '../../domain/messages.ts';
import { incomparable } from '../outcome/incomparable.ts';
import { storeAdvance } from '../outcome/store-advance.ts';

/** A person's word against the gate's. Undefined when done, else why not. */
export const overrideVerdict = (
  { withResearch }: Pick<Store, 'withResearch'>,
  { researchId, n, verdict, reason: words }: OverrideVerdict & { researchId: string },
): Promise<string | undefined> =>
  withResearch(researchId, async (tx, research) => {
    const trial = await tx.trial.findNumbered({ researchId, n });
    if (!trial) return `n: expected a trial of this research, got ${n}`;
    if (trial.status !== 'completed' || trial.value === null || !trial.candidateId)
      return `n: expected a completed trial, trial ${n} is ${trial.status ?? 'still running'}`;
    const apart = await incomparable(tx, research, trial);
    if (apart !== null) return `n: expected a trial of the task as it is now, trial ${n} is not: ${apart}`;
    const { candidateId, value } = trial;
    const result = override(research.gateConfig, research.gate, { verdict, n, candidateId, value });
    if ('refused' in result) return result.refused;
    const reason = `overridden by a person: ${words}`;
    const rulings = result.rulings.filter((ruling) => ruling.n !== n);
    await storeAdvance(tx, research, { ...result, rulings, claimed: null });
    await tx.trial.writeRuling({ researchId, n, verdict, reason });
    // A proposer must not learn from it.
    if (verdict === 'discard') await tx.trial.takeRewardBack({ trial, reason });
    const told = { ...result, rulings: [...rulings, { n, verdict, reason }] };
    await tx.event.insertEvents(eventsOfAdvance(research.gate, told, { researchId, by: 'person', reason }));
    if (result.claimed) {
      // A claim that is taken back leaves one in its place, of which the words would be untrue.
      const why = verdict === 'keep' ? reason : `trial ${n} was ${reason}`;
      await tx.research.insertClaim({ researchId, ...result.claimed, reason: why, by: 'person' });
    }
    return undefined;
  });
