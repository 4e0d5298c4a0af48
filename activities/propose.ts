import { parentOf } from '../domain/gate/gate.ts';
import type { Trial } from '../db/trial/proposal.ts';
import { numberText } from '../domain/prompt/number-text.ts';
import type { Research } from '../db/research/research.ts';
import type { Failure, TrialEnded } from '../domain/trial.ts';
import { withHeartbeat } from './beat.ts';
import type { ActivityDeps } from './deps.ts';
import { settle } from './outcome/settle.ts';
import { parentFiles } from './parent-files.ts';
import { storeProposal } from './propose/store-proposal.ts';
import type { ProposeContext } from './propose/types.ts';
import { proposeByModel } from './propose/by-model.ts';
import { proposeByKnob } from './propose/by-knob.ts';

export interface ProposeInput {
  trialId: string;
}

/** `ready`: a candidate is stored and may run; `ended`: the trial already has its outcome (rejected, cached). */
export type ProposeResult = { state: 'ready' } | { state: 'ended'; ended: TrialEnded };

export const createProposeActivities = (deps: ActivityDeps) => ({
  /** Makes one proposal, once: a repeated call returns what is stored, and a stored answer is never bought again. */
  propose: async ({ trialId }: ProposeInput): Promise<ProposeResult> =>
    withHeartbeat(async (signal) => {
      const { trial, research } = await deps.store.trial.loadTrialAndResearch(trialId);
      if (trial.status !== null) return { state: 'ended', ended: await settled(deps, trial) };
      const stored = trial.candidateId ? trial : await proposeAnew({ deps, signal, trial, research });
      deps.reach('proposal-stored');
      if ('rejected' in stored) return { state: 'ended', ended: await reject(deps, trial, stored.rejected) };
      return endIfSeen(deps, stored);
    }),
});

async function proposeAnew(from: {
  deps: ActivityDeps;
  signal: AbortSignal;
  trial: Trial;
  research: Research;
}): Promise<Trial | { rejected: Failure }> {
  const { deps, signal, trial, research } = from;
  const begun = await deps.store.trial.beginProposal({
    trialId: trial.id,
    researchId: research.id,
    parentId: parentOf(research.gateConfig, research.gate),
    proposer: research.proposer,
  });
  const version = await deps.store.task.loadTaskVersion(trial.taskHash);
  const files = await parentFiles(deps.store, { parentId: begun.parentId ?? research.baselineCandidate, version });
  const context: ProposeContext = { deps, trial: begun, version, files, signal };
  const proposal = begun.proposer === 'llm' ? await proposeByModel(context, research) : await proposeByKnob(context);
  return proposal.ok ? storeProposal(context, proposal.proposed) : { rejected: proposal.failure };
}

/**
 * A candidate that ran before, or is running, is not run again for a search, and neither is one that was stopped since it
 * could not win: there is no value to hand on, and the rule would stop it again. The proposer is told. What a person
 * injects runs in any case.
 */
async function endIfSeen(deps: ActivityDeps, trial: Trial): Promise<ProposeResult> {
  const twin = trial.kind === 'search' ? await deps.store.trial.findTwin(trial) : undefined;
  if (!twin) return { state: 'ready' };
  const how = whatBecameOf(twin);
  const ended = await settle(deps.store, {
    ...EMPTY,
    trialId: trial.id,
    researchId: trial.researchId,
    status: 'cached',
    failure: null,
    evaluatorNotes: `the same candidate as trial ${twin.n}, which ${how}`,
  });
  return { state: 'ended', ended };
}

const whatBecameOf = ({ status, failure, value }: Trial): string => {
  if (status === null) return 'is running';
  if (value !== null) return `gave ${numberText(value)}`;
  return failure === 'cannot-win' ? 'was stopped early, since it could not win' : `ended as ${status}`;
};

const EMPTY = { value: null, metrics: {}, evaluatorNotes: null, trusted: true };

const reject = (deps: ActivityDeps, trial: Trial, failure: Failure): Promise<TrialEnded> =>
  settle(deps.store, { ...EMPTY, trialId: trial.id, researchId: trial.researchId, status: 'rejected', failure });

async function settled(deps: ActivityDeps, trial: Trial): Promise<TrialEnded> {
  const [ended] = await deps.store.trial.findEnded({ researchId: trial.researchId, ns: [trial.n] });
  if (!ended) throw new Error(`Expected trial ${trial.id} to have an outcome`);
  return ended;
}
