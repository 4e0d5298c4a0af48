import { and, eq, sql } from 'drizzle-orm';
import { override } from '../../domain/gate/override.ts';
import type { OverrideVerdict } from '../../domain/messages.ts';
import type { Db } from '../connect.ts';
import { trials } from '../schema.ts';
import { incomparable } from './comparable.ts';
import { lockResearch } from './research.ts';
import { insertClaim, storeAdvance } from './store-advance.ts';

/** A person's word against the gate's. Undefined when done, else why not. */
export async function overrideVerdict(
  db: Db,
  input: OverrideVerdict & { researchId: string },
): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const research = await lockResearch(tx, input.researchId);
    const trial = (
      await tx
        .select()
        .from(trials)
        .where(and(eq(trials.researchId, input.researchId), eq(trials.n, input.n)))
    )[0];
    if (!trial) return `n: expected a trial of this research, got ${input.n}`;
    if (trial.status !== 'completed' || trial.value === null || !trial.candidateId)
      return `n: expected a completed trial, trial ${input.n} is ${trial.status ?? 'still running'}`;
    const apart = await incomparable(tx, research, trial);
    if (apart !== null) return `n: expected a trial of the task as it is now, trial ${input.n} is not: ${apart}`;
    const result = override(research.gateConfig, research.gate, {
      verdict: input.verdict,
      n: input.n,
      candidateId: trial.candidateId,
      value: trial.value,
    });
    if ('refused' in result) return result.refused;
    const reason = `overridden by a person: ${input.reason}`;
    const rulings = result.rulings.filter(({ n }) => n !== input.n);
    await storeAdvance(tx, research, { ...result, rulings, claimed: null });
    await tx
      .update(trials)
      .set({ verdict: input.verdict, reason, ruledAt: sql`clock_timestamp()` })
      .where(eq(trials.id, trial.id));
    if (result.claimed) {
      // A claim that is taken back leaves one in its place, of which the words would be untrue.
      const why = input.verdict === 'keep' ? reason : `trial ${input.n} was ${reason}`;
      await insertClaim(tx, input.researchId, { ...result.claimed, reason: why, by: 'person' });
    }
    return undefined;
  });
}
