import { applyPolicyWish, type PolicyWish } from '../../domain/learning/apply-policy-wish.ts';
import type { Db } from '../connect.ts';
import { insertEvents } from '../event/insert-events.ts';
import { lockResearch } from '../research/research.ts';
import { findOrInsertPolicy, type Policy } from './rollout-groups.ts';
import { PolicyRefusedError } from './policy-refused.ts';
import { findVersion, lastUpdate, setPolicy } from './updates.ts';
import { hold } from './weights.ts';

export interface Steered {
  /** Version that was in force before. */
  from: number;
  /** False if the request changed nothing, and nothing was written. */
  changed: boolean;
  policy: Pick<Policy, 'inForce' | 'pinned' | 'halted'>;
}

/**
 * Pins, unpins or rolls back the policy of a research, in one transaction under its lock, with an event. Admissions and
 * updates read the policy under the same lock, so the next group and the next update follow it.
 */
export function steerPolicy(
  db: Db,
  { researchId, wish, because }: { researchId: string; wish: PolicyWish; because: string | null },
): Promise<Steered> {
  return db.transaction(async (tx) => {
    await lockResearch(tx, researchId);
    const { inForce, pinned, halted } = await findOrInsertPolicy(tx, researchId);
    if (wish.kind !== 'unpin' && wish.version !== 0 && !(await findVersion(tx, { researchId, version: wish.version })))
      throw new PolicyRefusedError(
        `Expected a version of the policy of ${researchId}, got ${wish.version}. ` +
          `See: npx perpetua policy list ${researchId}`,
      );
    const steering = applyPolicyWish({ inForce, pinned, halted }, wish);
    if ('refused' in steering) throw new PolicyRefusedError(`${steering.refused}.`);
    // Holds the weights of a version that a person names: the person may name it again.
    if (wish.kind !== 'unpin' && wish.version !== 0) await hold(tx, { researchId, k: wish.version });
    const { change } = steering;
    if (change === null) return { from: inForce, changed: false, policy: { inForce, pinned, halted } };
    // Gates judge only later updates: the updates that caused a halt would cause it again at once.
    const again = wish.kind !== 'pin' ? { judgedFrom: await lastUpdate(tx, researchId) } : {};
    await setPolicy(tx, researchId, { ...change, ...again });
    const policy = { inForce, pinned, halted, ...change };
    const how = because === null ? steering.how : `${steering.how}: ${because}`;
    const data = { from: inForce, version: policy.inForce, how, by: 'person' as const };
    await insertEvents(tx, [{ kind: 'policy-set', researchId, data }]);
    return { from: inForce, changed: true, policy };
  });
}
