import type { Update } from '../../db/learning/updates.ts';
import type { Research } from '../../db/research/research.ts';
import type { HashedFolder } from '../../domain/learning/step.ts';
import type { ActivityDeps } from '../deps.ts';
import type { PolicyStart } from './policy-base.ts';

/** An update that has begun, with the checkpoint that it starts from; null: it starts from a model. */
export type BegunUpdate = Update & { from: HashedFolder | null };

/** Fixes the version that an update starts from, once, under the research's lock. Until then a person may change it. */
export async function beginUpdate(
  { deps, research }: { deps: ActivityDeps; research: Research },
  { due, policyStart }: { due: Update; policyStart: PolicyStart },
): Promise<BegunUpdate> {
  const { researchId, k } = due;
  const { store } = deps;
  const begun = await store.withResearch(research.id, async (tx) => {
    const { inForce, adjustments } = await tx.learning.findOrInsertPolicy(researchId);
    const version = await tx.learning.findVersion({ researchId, version: inForce });
    if (inForce > 0 && !version) throw new Error(`Expected version ${inForce} of the policy of ${researchId}`);
    const parentCheckpoint = version?.checkpoint ?? policyStart.checkpoint?.sha256 ?? null;
    return tx.learning.beginUpdate({ researchId, k, parent: inForce, parentCheckpoint, adjustments });
  });
  const parent = begun.parent ?? 0;
  if (parent === 0) return { ...begun, from: policyStart.checkpoint };
  const version = await store.learning.findVersion({ researchId, version: parent });
  if (!version) throw new Error(`Expected version ${parent} of the policy of ${researchId}`);
  return { ...begun, from: { path: deps.policy.checkpoints.folder(version.stepKey), sha256: version.checkpoint } };
}
