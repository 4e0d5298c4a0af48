import type { NewPolicyBase } from '../../db/learning/policy-bases.ts';
import type { Research } from '../../db/research/research.ts';
import {
  describeForm,
  isSameForm,
  type LearntVersion,
  parseLearntBase,
} from '../../domain/learning/weights/learnt-base.ts';
import type { HashedFolder } from '../../domain/learning/step.ts';
import { choiceFor, choiceIn, factsOf } from '../../domain/search/proposer/makers.ts';
import { updatePlanIn } from '../../domain/search/update/table.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps } from '../deps.ts';
import { refuse } from '../task/refuse.ts';

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

/** A research that is to sample a policy. */
interface Sampling {
  researchId: string;
  search: Task['search'];
  /** Name of its proposer. */
  proposer: string;
  /** Base that a known research samples; undefined: none, or the research is new. */
  present?: string | undefined;
}

/**
 * Resolves the learnt version (ID@VERSION) with which a research is to begin. Null if its base is no learnt version, or
 * if the research has stored it. Refuses, with the key's path, a version without weights on this machine, weights of
 * another form than those that are to learn, and a model that cannot be loaded.
 */
export async function resolveBase(
  deps: Deps,
  { researchId, search, proposer, present }: Sampling,
): Promise<NewPolicyBase | null> {
  const choice = choiceFor(proposer, search);
  const base = baseIn(choice);
  if (base === undefined) return null;
  const named = parseLearntBase(base);
  const known = named && (await deps.store.learning.findPolicyBase({ researchId, base }));
  // A research that samples a base which it has not resolved began in an older version, for which any text was a model.
  if (named === null || (known === undefined && base === present)) {
    await requireModel(deps, base);
    return null;
  }
  const found = known ?? { researchId, base, ...(await findVersion(deps, { researchId, named, base })) };
  await requireCheckpoint(deps, found);
  requireSameForm(search, { choice, found });
  return known === undefined ? found : null;
}

/** Base of the policy that a choice of proposers samples; undefined if it samples none. */
function baseIn(choice: unknown): string | undefined {
  const base = factsOf(choice).learners[0]?.settings['base'];
  return typeof base === 'string' ? base : undefined;
}

/**
 * Resolves the learnt version with which a known research is to go on, as `resolveBase` does, and stores it. `present`:
 * the proposers that it has now.
 */
export async function storeBase(deps: Deps, research: Omit<Sampling, 'present'>, present?: unknown): Promise<void> {
  const base = await resolveBase(deps, { ...research, present: present === undefined ? undefined : baseIn(present) });
  if (base !== null) await deps.store.withResearch(base.researchId, (tx) => tx.learning.insertPolicyBase(base));
}

/** Refuses a model that cannot be loaded: each sample would wait for a server that ends at its start. */
async function requireModel({ policy }: Deps, base: string): Promise<void> {
  const problem = await policy.findBaseProblem(base);
  if (problem !== null) throw refuseBase(base, problem.expected, problem.why);
}

interface Named {
  researchId: string;
  named: LearntVersion;
  base: string;
}

/** Finds the version that a research names as its base. */
async function findVersion(
  deps: Deps,
  { researchId, named, base }: Named,
): Promise<Omit<NewPolicyBase, 'researchId' | 'base'>> {
  if (!deps.models.canLearn())
    throw refuseBase(base, 'the name of a model', 'the server of PERPETUA_POLICY_URL has no versions of researches');
  const source = await deps.store.research.findResearch(named.research);
  if (!source || named.research === researchId)
    throw refuseBase(base, 'ID@VERSION of another research', 'there is no such research; see: npx perpetua list');
  const sourceBase = factsOf(choiceIn(source)).learners[0]?.settings['base'];
  if (typeof sourceBase !== 'string')
    throw refuseBase(base, 'a research with a policy', `the proposer of ${source.id} is ${source.proposer}`);
  const before = await deps.store.learning.findPolicyBase({ researchId: source.id, base: sourceBase });
  const { checkpoint = null, stepKey = null, adapter = null } = before ?? {};
  const weights =
    named.version === 0 ? { checkpoint, stepKey, adapter } : await learntWeights(deps, source, { named, base });
  const descent = [...(before?.descent ?? []), { ...named, checkpoint: weights.checkpoint }];
  return { model: before?.model ?? sourceBase, ...weights, descent };
}

async function learntWeights(
  { store }: Deps,
  { id: researchId, settings }: Research,
  { named: { version }, base }: Pick<Named, 'named' | 'base'>,
): Promise<Pick<NewPolicyBase, 'checkpoint' | 'stepKey' | 'adapter'>> {
  const update = await store.learning.findUpdate({ researchId, k: version });
  const expected = `a version of the policy of ${researchId}`;
  const list = `see: npx perpetua policy list ${researchId}`;
  if (!update?.checkpoint || !update.stepKey)
    throw refuseBase(base, expected, `there is no version ${version}; ${list}`);
  const { checkpoint, stepKey, removedAt } = update;
  const why = `those of version ${version} were removed to make room (search.update.keep); ${list}`;
  if (removedAt !== null) throw refuseBase(base, `${expected} that still has its weights`, why);
  return { checkpoint, stepKey, adapter: updatePlanIn(settings?.search ?? {})?.adapter ?? null };
}

/** Refuses a checkpoint whose files are not on this machine: each sample would wait for them. */
async function requireCheckpoint(
  { policy }: Deps,
  { stepKey, base }: Pick<NewPolicyBase, 'stepKey' | 'base'>,
): Promise<void> {
  if (stepKey === null) return;
  const folder = policy.checkpoints.folder(stepKey);
  if ((await policy.checkpoints.bytes(folder)) > 0) return;
  throw refuseBase(
    base,
    'a version whose checkpoint is on this machine',
    `${folder} does not exist: it was removed, or a worker with another PERPETUA_HOME made the version`,
  );
}

/** Refuses to learn in another form than the weights have. */
function requireSameForm(
  search: Task['search'],
  { choice, found: { adapter, base } }: { choice: unknown; found: Pick<NewPolicyBase, 'adapter' | 'base'> },
): void {
  const plan = updatePlanIn({ ...search, proposer: choice });
  if (plan === null || adapter === null || isSameForm(plan.adapter, adapter)) return;
  throw refuse(
    `search.update.adapter: expected ${describeForm(adapter)}, the form of the weights of ${base} ` +
      `(search.proposer.base); got ${describeForm(plan.adapter)}`,
    'BadTask',
  );
}

const refuseBase = (base: string, expected: string, why: string) =>
  refuse(`search.proposer.base: expected ${expected}; got ${JSON.stringify(base)}: ${why}`, 'BadTask');
