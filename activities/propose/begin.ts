import { ApplicationFailure } from '@temporalio/activity';
import type { Research } from '../../db/research/research.ts';
import type { Store, TxStore } from '../../db/store.ts';
import type { RolloutGroup } from '../../db/learning/rollout-groups.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import {
  type ChosenArm,
  choiceFor,
  chooserOf,
  factsOf,
  type Maker,
  makerOf,
} from '../../domain/search/proposer/makers.ts';
import { proposalJobOf } from '../../domain/agent/proposal-job.ts';
import type { ParentChoice } from '../../domain/search/parent.ts';
import { readsTree } from '../../domain/search/parent/table.ts';
import type { Task } from '../../domain/task/task.ts';
import { samplePositionOf } from '../../domain/learning/sample-position.ts';
import { updatePlanIn } from '../../domain/search/update/table.ts';
import { type Arm, armKey } from '../../domain/search/mixture/arm.ts';
import type { ActivityDeps } from '../deps.ts';
import { chooseArm, keysDownWith } from './choose-arm.ts';
import { chooseOperator } from './operator/choose-operator.ts';
import { chooseParent } from './parent/choose-parent.ts';
import type { ArmDownError } from './report-endpoint-down.ts';

/** A trial of a task. Tests stop the process at the kill points that `reach` gets. */
interface Choosing {
  trial: Trial;
  task: Task;
  reach?: ActivityDeps['reach'];
}

interface BeginningTrial {
  research: Research;
  trial: Trial;
  task: Task;
}

/**
 * Makes a trial a member of the group that is being filled. All members have the parent and the policy version of the
 * first member. Without learning each trial is a group of its own. The caller holds the research's lock. Safe to
 * repeat.
 */
async function joinGroup(
  tx: TxStore,
  { trial, task, choose }: BeginningTrial & { choose: () => Promise<ParentChoice> },
): Promise<ParentChoice> {
  const { researchId } = trial;
  const known = await tx.learning.findGroup(trial.id);
  if (known) return parentOf(known);
  const seq = (await tx.learning.countRollouts(researchId)) + 1;
  const { g, k } = samplePositionOf(seq, updatePlanIn(task.search));
  const open = await tx.learning.findGroupByNumber({ researchId, g });
  const chosen = open ? parentOf(open) : await choose();
  if (!open) {
    const { inForce } = await tx.learning.findOrInsertPolicy(researchId);
    const { candidateId: parentId, reason: parentReason, niche = null } = chosen;
    await tx.learning.insertGroup({ researchId, g, parentId, parentReason, niche, version: inForce });
  }
  await tx.learning.insertRollout({ trialId: trial.id, researchId, seq, g, k });
  return chosen;
}

/** The parent that the first member of a group got. */
const parentOf = ({ parentId, parentReason, niche }: RolloutGroup): ParentChoice => ({
  candidateId: parentId,
  reason: parentReason,
  ...(niche === null ? {} : { niche }),
});

/**
 * Chooses the proposer and the parent of a trial, once, under the research's lock: of two trials that begin at once,
 * the second reads the choice of the first. A repeated call returns the stored choice.
 */
export const beginProposal = (store: Store, { trial, task, reach }: Choosing): Promise<Trial> =>
  store.withResearch(trial.researchId, async (tx, research) => {
    const stored = await tx.trial.loadTrial(trial.id);
    if (stored.parentId !== null && stored.proposer !== null) return stored;
    // A trial that was cancelled meanwhile must not join a batch: it would never be scored there.
    if (stored.status !== null) throw hasEnded(stored);
    if (stored.kind === 'evaluation') return beginEvaluation(tx, { research, trial: stored, task });
    const beginning = { research, trial: stored, task };
    const { maker, reason, arm } = await proposerOf(tx, beginning);
    const rule = arm?.parent ?? task.search.parent;
    const choose = (): Promise<ParentChoice> => chooseParent(tx, { research, trial: stored, rule });
    const byRule = maker.method.learns === true ? await joinGroup(tx, { ...beginning, choose }) : await choose();
    const { parent, ...operator } = await chooseOperator(tx, { ...beginning, maker, parent: byRule });
    const key = arm === null ? null : armKey(arm);
    if (key !== null) await tx.research.countChoice({ researchId: research.id, key });
    const begun = await tx.trial.beginProposal({
      trialId: trial.id,
      researchId: research.id,
      parentId: parent.candidateId,
      parentReason: parent.reason,
      niche: parent.niche ?? null,
      proposer: maker.name,
      proposerReason: reason,
      proposerSettings: maker.settings,
      arm: key,
      ...operator,
    });
    await storeNiche(tx, { researchId: research.id, parent });
    if (research.nodes !== null || readsTree(rule))
      await tx.tree.visitNode({ researchId: research.id, candidateId: parent.candidateId, trialId: trial.id });
    reach?.('choice-written');
    return begun;
  });

/** Why an arm is down, as ArmDownError has it. */
type Down = { why: string } & Partial<Pick<ArmDownError, 'isOfModel' | 'retryAfterSeconds'>>;

/**
 * Gives a trial whose arm has no endpoint another arm of the mixture, with its parent. Arms with the same endpoint, or
 * the same model, are not chosen for some minutes, and the trial does not count for its first arm. Calls and the job of
 * an agent begin anew: the next arm reads nothing that the first arm received. Safe to repeat.
 */
export const changeArm = (
  store: Store,
  { trial, task, why, isOfModel = false, retryAfterSeconds = 0, reach }: Choosing & Down,
): Promise<Trial> =>
  store.withResearch(trial.researchId, async (tx, research) => {
    const stored = await tx.trial.loadTrial(trial.id);
    const chooser = chooserOf(choiceFor(research.proposer, task.search));
    if (chooser === null || stored.arm === null || stored.arm !== trial.arm || stored.candidateId !== null)
      return stored;
    // The outcome has given its credit to the arm.
    if (stored.status !== null) throw hasEnded(stored);
    const keys = keysDownWith(chooser, { maker: makerOfTrial(stored, task), task, isOfModel });
    await tx.research.markArmsDown({ researchId: research.id, keys, why, seconds: retryAfterSeconds });
    await tx.research.uncountChoice({ researchId: research.id, key: stored.arm });
    const { maker, reason, arm } = await chooseArm(tx, { chooser, trial: stored, task, replaces: true });
    const key = armKey(arm);
    await tx.research.countChoice({ researchId: research.id, key });
    const rule = arm.parent ?? task.search.parent;
    const byRule = await chooseParent(tx, { research, trial: stored, rule });
    const { parent, ...operator } = await chooseOperator(tx, { research, trial: stored, task, maker, parent: byRule });
    const changed = await tx.trial.changeProposer({
      trialId: trial.id,
      parentId: parent.candidateId,
      parentReason: parent.reason,
      niche: parent.niche ?? null,
      proposer: maker.name,
      proposerReason: `in place of ${stored.arm}, which was skipped: ${why}; ${reason}`,
      proposerSettings: maker.settings,
      arm: key,
      ...operator,
    });
    // The files that the first arm's agent left are no proposal of another agent.
    await tx.job.replaceJob(proposalJobOf(trial.id));
    await storeNiche(tx, { researchId: research.id, parent });
    if (research.nodes !== null || readsTree(rule)) {
      const ids = { researchId: research.id, trialId: trial.id };
      if (stored.parentId !== null) await tx.tree.leaveNode({ ...ids, candidateId: stored.parentId });
      await tx.tree.visitNode({ ...ids, candidateId: parent.candidateId });
    }
    reach?.('choice-written');
    return changed;
  });

/** Stores the niche of a choice, and that another one became inactive. */
async function storeNiche(
  tx: TxStore,
  { researchId, parent: { niche, retires } }: { researchId: string; parent: ParentChoice },
): Promise<void> {
  if (niche !== undefined) await tx.tree.chooseNiche({ researchId, niche, retires: retires ?? null });
}

/** Begins a sample of an evaluation: by the policy, from the unmodified version, as a member of no group. */
async function beginEvaluation(tx: TxStore, { research, trial, task }: BeginningTrial): Promise<Trial> {
  const [learner] = factsOf(choiceFor(research.proposer, task.search)).learners;
  if (learner === undefined)
    throw ApplicationFailure.nonRetryable(
      'the research has no policy any more, so no version is evaluated',
      'NoPolicy',
    );
  const version = await tx.research.findEvaluatedVersion(trial);
  return tx.trial.beginProposal({
    trialId: trial.id,
    researchId: research.id,
    parentId: research.baselineCandidate,
    parentReason: 'the unmodified version, for an evaluation',
    niche: null,
    proposer: learner.name,
    proposerReason: `evaluation of version ${version}`,
    proposerSettings: learner.settings,
    arm: null,
  });
}

/**
 * The maker of a trial's proposal, with the reason: stored before, the research's proposer, or the choice of its
 * mixture.
 */
async function proposerOf(
  tx: TxStore,
  { research, trial, task }: BeginningTrial,
): Promise<Omit<ChosenArm, 'arm'> & { arm: Arm | null }> {
  if (trial.proposer !== null)
    return { maker: makerOfTrial(trial, task), reason: trial.proposerReason ?? BEFORE, arm: null };
  const choice = choiceFor(research.proposer, task.search);
  const chooser = chooserOf(choice);
  if (chooser === null) return { maker: makerOf(choice), reason: 'the proposer of the research', arm: null };
  return chooseArm(tx, { chooser, trial, task });
}

const BEFORE = 'chosen by an older version';

const hasEnded = ({ id }: Trial): ApplicationFailure =>
  ApplicationFailure.retryable(`trial ${id} has ended`, 'Settled');

/**
 * The maker of a begun trial's proposal, with its stored settings. A trial of an older version has no stored settings
 * and takes the task's. Throws UnknownMethod for a proposer that this build does not know.
 */
export function makerOfTrial({ id, proposer, proposerSettings }: Trial, { search }: Task): Maker {
  if (proposer === null) throw new Error(`Expected the proposer of trial ${id} to be chosen`);
  return makerOf(proposerSettings === null ? choiceFor(proposer, search) : { ...proposerSettings, name: proposer });
}
