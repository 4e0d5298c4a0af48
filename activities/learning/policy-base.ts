import type { NewPolicyBase } from '../../db/learning/policy-bases.ts';
import type { Research } from '../../db/research/research.ts';
import { type LearntVersion, parseLearntBase } from '../../domain/learning/weights/learnt-base.ts';
import type { HashedFolder } from '../../domain/learning/step.ts';
import { choiceIn, factsOf } from '../../domain/search/proposer/makers.ts';
import type { ActivityDeps } from '../deps.ts';
import { refuse } from '../task/require-runnable.ts';

type Deps = Pick<ActivityDeps, 'store' | 'policy' | 'models'>;

/** The weights with which a research's policy begins. */
export interface PolicyStart {
  /** Model whose server samples and trains the policy. */
  model: string;
  /** Checkpoint of another research's policy; null: the model itself. */
  checkpoint: HashedFolder | null;
}

/** The weights of version 0 of a research's policy: those of a model, or of the learnt version that `base` names. */
export async function policyStartOf(
  { store, policy }: Pick<ActivityDeps, 'store' | 'policy'>,
  { researchId, base }: { researchId: string; base: string },
): Promise<PolicyStart> {
  if (parseLearntBase(base) === null) return { model: base, checkpoint: null };
  const found = await store.learning.findPolicyBase({ researchId, base });
  // A research that an older version started took any text as the name of a model.
  if (found === undefined) return { model: base, checkpoint: null };
  const { model, checkpoint, stepKey } = found;
  if (checkpoint === null || stepKey === null) return { model, checkpoint: null };
  return { model, checkpoint: { path: policy.checkpoints.folder(stepKey), sha256: checkpoint } };
}

/**
 * Resolves the learnt version (ID@VERSION) that a proposer samples. Null if its base is none, or if the research has
 * stored it. Refuses, with the key's path, a version without weights on this machine.
 */
export async function resolveBase(
  deps: Deps,
  { researchId, proposer }: { researchId: string; proposer: unknown },
): Promise<NewPolicyBase | null> {
  const base = factsOf(proposer).learners[0]?.settings['base'];
  const named = typeof base === 'string' ? parseLearntBase(base) : null;
  if (typeof base !== 'string' || named === null) return null;
  if ((await deps.store.learning.findPolicyBase({ researchId, base })) !== undefined) return null;
  if (!deps.models.canLearn())
    throw refuseBase(base, 'the name of a model', 'the server of PERPETUA_POLICY_URL has no versions of researches');
  const source = await deps.store.research.findResearch(named.research);
  if (!source || named.research === researchId)
    throw refuseBase(base, 'ID@VERSION of another research', 'there is no such research; see: npx perpetua list');
  return { researchId, base, ...(await versionOf(deps, source, { named, base })) };
}

/** Resolves the learnt version with which a known research is to go on, as `resolveBase` does, and stores it. */
export async function storeBase(deps: Deps, research: { researchId: string; proposer: unknown }): Promise<void> {
  const base = await resolveBase(deps, research);
  if (base !== null) await deps.store.withResearch(base.researchId, (tx) => tx.learning.insertPolicyBase(base));
}

/** Reads the version that a new research names. */
async function versionOf(
  deps: Deps,
  source: Research,
  { named, base }: { named: LearntVersion; base: string },
): Promise<Omit<NewPolicyBase, 'researchId' | 'base'>> {
  const began = factsOf(choiceIn(source)).learners[0]?.settings['base'];
  if (typeof began !== 'string')
    throw refuseBase(base, 'a research with a policy', `the proposer of ${source.id} is ${source.proposer}`);
  const before = await deps.store.learning.findPolicyBase({ researchId: source.id, base: began });
  const model = before?.model ?? began;
  const weights =
    named.version === 0
      ? { checkpoint: before?.checkpoint ?? null, stepKey: before?.stepKey ?? null }
      : await learntWeights(deps, named, base);
  await requireCheckpoint(deps, weights.stepKey, base);
  const descent = [...(before?.descent ?? []), { ...named, checkpoint: weights.checkpoint }];
  return { model, ...weights, descent };
}

async function learntWeights(
  { store }: Deps,
  { research, version }: LearntVersion,
  base: string,
): Promise<{ checkpoint: string; stepKey: string }> {
  const update = await store.learning.findUpdate({ researchId: research, k: version });
  const list = `see: npx perpetua policy list ${research}`;
  if (!update?.checkpoint || !update.stepKey)
    throw refuseBase(base, `a version of the policy of ${research}`, `there is no version ${version}; ${list}`);
  if (update.removedAt !== null)
    throw refuseBase(
      base,
      `a version of the policy of ${research} that still has its weights`,
      `those of version ${version} were removed to make room (search.update.keep); ${list}`,
    );
  return { checkpoint: update.checkpoint, stepKey: update.stepKey };
}

/** Refuses a checkpoint whose files are not on this machine: each sample would wait for them. */
async function requireCheckpoint({ policy }: Deps, stepKey: string | null, base: string): Promise<void> {
  if (stepKey === null) return;
  const folder = policy.checkpoints.folder(stepKey);
  if ((await policy.checkpoints.bytes(folder)) > 0) return;
  throw refuseBase(
    base,
    'a version whose checkpoint is on this machine',
    `${folder} does not exist; start the research in the PERPETUA_HOME of the worker that made the version`,
  );
}

const refuseBase = (base: string, expected: string, why: string) =>
  refuse(`search.proposer.base: expected ${expected}; got ${JSON.stringify(base)}: ${why}`, 'BadTask');
