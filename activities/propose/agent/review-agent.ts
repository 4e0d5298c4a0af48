import { MOST_SERVED_OUTAGES } from '../../../domain/agent/outage.ts';
import { withSettings } from '../../../domain/task/overrides.ts';
import type { ActivityDeps } from '../../deps.ts';
import { endRun } from '../../run/end-run.ts';
import { wrapInHeartbeat } from '../../with-heartbeat.ts';
import { editScopeOf } from '../../task/edit-scope.ts';
import { makerOfTrial } from '../begin.ts';
import { otherArmsOf } from '../choose-arm.ts';
import { parentFiles } from '../parent-files.ts';
import { describeOutage } from '../report-endpoint-down.ts';
import { readProposal } from './read-proposal.ts';

/** The ended run of a trial's agent. */
export interface ReviewInput {
  trialId: string;
  jobId: string;
  placement: number;
}

/** `over`: the run decides the proposal. `again`: the agent runs once more, after a pause. */
export type Review = 'over' | 'again';

/**
 * Reviews an ended run. If the agent left no proposal because its endpoint was down, the research is marked as waiting,
 * and the agent runs again: an outage ends no trial. If a person is stopping the research, or another arm of its
 * mixture can make the proposal, the run is over. It is over, too, after {@link MOST_SERVED_OUTAGES} runs during which
 * the endpoint answered: the agent may cause its errors. Safe to repeat.
 */
export const createReviewAgent = (deps: ActivityDeps) =>
  wrapInHeartbeat(async ({ trialId, jobId, placement }: ReviewInput): Promise<Review> => {
    const { trial, research } = await deps.store.trial.loadTrialAndResearch(trialId);
    if (trial.status !== null || trial.candidateId !== null) return 'over';
    const version = await deps.store.task.loadTaskVersion(trial.taskHash);
    const files = await parentFiles(deps.store, { parentId: trial.parentId ?? research.baselineCandidate, version });
    const scope = await editScopeOf(deps.store, version);
    const { outage } = await readProposal(
      { deps, trial, files, scope },
      { job: { id: jobId, ending: null }, placement },
    );
    if (outage === null || research.phase === 'stopping') return 'over';
    const task = withSettings(version.task, research.settings);
    const otherArms = await otherArmsOf(deps.store, { trial, research, task, maker: makerOfTrial(trial, task) });
    if (otherArms.ofOtherEndpoint) return 'over';
    const served = await deps.store.call.countServedRuns({ researchId: research.id, jobId, placement });
    if (served >= MOST_SERVED_OUTAGES) {
      const message =
        `trial ${trial.n}: its agent ended ${served} times with an error of its endpoint, which answered meanwhile; ` +
        `the trial gets no further run: ${outage}`;
      await deps.store.research.insertAlert({ researchId: research.id, message, once: true });
      return 'over';
    }
    await deps.store.call.recordEndpoint({ researchId: research.id, down: describeOutage(outage) });
    await endRun(deps, { jobId, placement });
    deps.reach('restart-due');
    return 'again';
  });
