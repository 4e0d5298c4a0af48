import type { TaskVersion } from '../db/task/task-version.ts';
import type { Trial } from '../db/trial/proposal.ts';
import type { Research } from '../db/research/research.ts';
import { withSettings } from '../domain/task/overrides.ts';
import { asSettings } from '../domain/method/axis.ts';
import { choiceFor, factsOf, type Maker } from '../domain/search/proposer/makers.ts';
import type { AskedProposer } from '../domain/search/proposer/table.ts';
import type { DrawInput, KnobInput } from '../domain/search/proposer.ts';
import type { Failure, TrialEnded } from '../domain/trial.ts';
import { withHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { editScopeOf } from './task/edit-scope.ts';
import { settle } from './outcome/settle.ts';
import { parentFiles } from './propose/parent-files.ts';
import type { Made, ProposalJob, ProposeContext } from './propose/propose-context.ts';
import { EFFECTFUL_PROPOSERS } from './propose/effectful-proposers.ts';
import { beginProposal, changeArm, makerOfTrial } from './propose/begin.ts';
import { otherArmsOf } from './propose/choose-arm.ts';
import { ArmDownError } from './propose/report-endpoint-down.ts';
import { createReviewAgent } from './propose/agent/review-agent.ts';
import { structureOf } from './propose/structure-of.ts';
import { proposeByList } from './propose/draw/by-list.ts';
import { proposeByDraw } from './propose/draw/by-draw.ts';
import { observationsFor } from './propose/observations-for.ts';

export interface ProposeInput {
  trialId: string;
  /** True inside a workflow task. A proposer that takes longer is then left to its queue. */
  atOnce?: boolean;
}

/**
 * `ready`: a candidate is stored and may run; with `preflight`, if it passes the task's checks. `ended`: the trial has
 * its outcome (rejected, cached). `queued`: the chosen proposer takes longer than a workflow task may take. `job`: a
 * job makes the proposal; when it has ended, the next call reads it.
 */
export type ProposeResult =
  | { state: 'ready'; preflight?: true }
  | { state: 'queued' }
  | ({ state: 'job' } & ProposalJob)
  | { state: 'ended'; ended: TrialEnded };

export const createProposeActivities = (deps: ActivityDeps) => ({
  reviewAgent: createReviewAgent(deps),

  /**
   * Makes one proposal, once. A repeated call returns the stored proposal, and a stored answer is never bought again.
   */
  propose: async ({ trialId, atOnce }: ProposeInput): Promise<ProposeResult> =>
    withHeartbeat(async (signal) => {
      const { trial, research } = await deps.store.trial.loadTrialAndResearch(trialId);
      if (trial.status !== null) return { state: 'ended', ended: await settled(deps, trial) };
      const version = await versionOf(deps, { trial, research });
      if (trial.candidateId) return stored(deps, { trial, version });
      const begun = await beginProposal(deps.store, { trial, task: version.task, reach: deps.reach });
      deps.reach('choice-stored');
      const maker = makerOfTrial(begun, version.task);
      if (atOnce && maker.method.runs !== 'at-once') return { state: 'queued' };
      const proposed = await proposeByArm({ deps, signal, trial: begun, research, version }, maker);
      if ('job' in proposed) return { state: 'job', ...proposed.job };
      if (!('rejected' in proposed)) return stored(deps, { trial: proposed, version });
      deps.reach('proposal-stored');
      return { state: 'ended', ended: await reject(deps, trial, proposed.rejected) };
    }),
});

/** A trial with a stored candidate runs, unless its proposal was stored with its outcome. */
async function stored(
  deps: ActivityDeps,
  { trial, version }: { trial: Trial; version: TaskVersion },
): Promise<ProposeResult> {
  deps.reach('proposal-stored');
  if ((trial.runsBefore ?? 0) > 0 && trial.status === null) deps.reach('rerun-stored');
  if (trial.kind === 'evaluation') deps.reach('evaluation-stored');
  if (trial.status !== null) return { state: 'ended', ended: await settled(deps, trial) };
  return version.task.preflight === undefined ? { state: 'ready' } : { state: 'ready', preflight: true };
}

interface Proposing {
  /** True if a call for an earlier arm of the trial reached its deadline in this attempt. */
  wasLate?: boolean;
  deps: ActivityDeps;
  signal: AbortSignal;
  trial: Trial;
  research: Research;
  version: TaskVersion;
}

/** Makes the proposal. While the endpoint of the trial's arm is down, another arm of the mixture makes it. */
async function proposeByArm(proposing: Proposing, maker: Maker): Promise<Made> {
  const { deps, trial, version } = proposing;
  try {
    return await proposeAnew(proposing, maker);
  } catch (error) {
    if (!(error instanceof ArmDownError)) throw error;
    const { reach, store } = deps;
    const { message: why, isOfModel, isLate, retryAfterSeconds } = error;
    const changed = await changeArm(store, { trial, task: version.task, why, isOfModel, retryAfterSeconds, reach });
    // Another attempt has made the proposal.
    if (changed.candidateId !== null) return changed;
    const wasLate = isLate || proposing.wasLate === true;
    return proposeByArm({ ...proposing, trial: changed, wasLate }, makerOfTrial(changed, version.task));
  }
}

async function proposeAnew(proposing: Proposing, maker: Maker): Promise<Made> {
  const { deps, signal, trial, research, version, wasLate = false } = proposing;
  const files = await parentFiles(deps.store, { parentId: trial.parentId ?? research.baselineCandidate, version });
  const scope = await editScopeOf(deps.store, version);
  const otherArms = await otherArmsOf(deps.store, { trial, research, task: version.task, maker });
  const context: ProposeContext = { deps, trial, version, scope, files, signal, otherArms, wasLate };
  const { name, method, settings } = maker;
  const { draw, list, onKnown = 'stop', observes: reach } = method;
  if (draw || list) {
    const observations = await observationsFor(deps.store, { trial, task: version.task, reach });
    const structure = structureOf(version.task.knobs, files);
    const inputOf = (input: KnobInput): DrawInput => ({ ...input, observations, structure });
    if (list) return proposeByList(context, { name, list: (input) => list(inputOf(input), asSettings(settings)) });
    if (draw)
      return proposeByDraw(context, { name, onKnown, draw: (input) => draw(inputOf(input), asSettings(settings)) });
  }
  // By the table's type, a proposer that neither draws nor chooses has an entry there.
  return EFFECTFUL_PROPOSERS[name as AskedProposer](context, { research, settings });
}

/** The task with the settings of its research. Throws UnknownMethod for a method that this build does not know. */
async function versionOf(
  deps: ActivityDeps,
  { trial, research }: { trial: Trial; research: Research },
): Promise<TaskVersion> {
  const stored = await deps.store.task.loadTaskVersion(trial.taskHash);
  const task = withSettings(stored.task, research.settings);
  if (trial.proposer === null) factsOf(choiceFor(research.proposer, task.search));
  return { ...stored, task };
}

const EMPTY = { value: null, metrics: {}, evaluatorNotes: null, trusted: true };

const reject = (deps: ActivityDeps, trial: Trial, failure: Failure): Promise<TrialEnded> =>
  settle(deps.store, { ...EMPTY, trialId: trial.id, researchId: trial.researchId, status: 'rejected', failure });

async function settled(deps: ActivityDeps, trial: Trial): Promise<TrialEnded> {
  const [ended] = await deps.store.trial.findOutcomes({ researchId: trial.researchId, ns: [trial.n] });
  if (!ended) throw new Error(`Expected trial ${trial.id} to have an outcome`);
  return ended;
}
