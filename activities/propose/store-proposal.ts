import { cleanText } from '../../domain/json/clean-text.ts';
import { numberText } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import { mayRunAgain, runsOfCandidate } from '../../domain/search/rerun.ts';
import { candidateContent } from '../../domain/trial/candidate.ts';
import type { CandidateRun, ProposalInput, Trial } from '../../db/trial/proposal.ts';
import { settleIn } from '../outcome/settle.ts';
import { knobsAndStructure } from './structure-of.ts';
import type { ProposeContext, Proposed } from './propose-context.ts';

/**
 * Stores a proposal with the knobs and the structure of its candidate, and decides whether the candidate runs. Both
 * happen in one transaction under the research's lock, so that no candidate runs too often. The memory in the answer is
 * stored in it, too. If the candidate has had
 * its runs, the same transaction ends the trial as `cached`. The first stored proposal stays.
 */
export function storeProposal(context: ProposeContext, proposed: Proposed): Promise<Trial> {
  const { deps, trial, version } = context;
  const proposal = proposalOf(context, proposed);
  return deps.store.withResearch(trial.researchId, async (tx, research) => {
    const before = await tx.trial.loadTrial(trial.id);
    if (before.candidateId !== null || before.status !== null) return before;
    // Each sample of an evaluation is measured by its own run.
    const isSample = research.gateConfig.measuresOnly === true || before.kind === 'evaluation';
    const runs = isSample ? [] : await tx.trial.findOtherRuns({ ...before, candidateId: proposal.candidate.id });
    const stored = await tx.trial.saveProposal({ ...proposal, runsBefore: runs.length });
    if (proposed.memory !== undefined)
      await tx.trial.saveMemory({ researchId: trial.researchId, trialId: trial.id, text: cleanText(proposed.memory) });
    if (mayRunAgain(runs, runsOfCandidate(version.task.search))) return stored;
    await settleIn(
      { tx, research },
      {
        trialId: trial.id,
        researchId: trial.researchId,
        status: 'cached',
        failure: null,
        value: null,
        metrics: {},
        evaluatorNotes: describeRuns(runs),
        trusted: true,
      },
    );
    return tx.trial.loadTrial(trial.id);
  });
}

/**
 * Stores a proposal under the research's lock. Returns null if another trial ran its candidate or is about to run it.
 */
export function storeIfNew(context: ProposeContext, proposed: Proposed): Promise<Trial | null> {
  const { deps, trial } = context;
  const proposal = proposalOf(context, proposed);
  return deps.store.withResearch(trial.researchId, async (tx) => {
    const known = await tx.trial.findCandidatesAlreadyRun({ trial, candidateIds: [proposal.candidate.id] });
    return known.length > 0 ? null : tx.trial.saveProposal({ ...proposal, runsBefore: 0 });
  });
}

function proposalOf(
  { deps, trial, version }: ProposeContext,
  { files, memory, ...rest }: Proposed,
): Omit<ProposalInput, 'runsBefore'> {
  void memory;
  const id = deps.machine.sha256(candidateContent(files, version.immutableHash));
  const candidate = { id, immutableHash: version.immutableHash, files };
  return { trialId: trial.id, candidate, ...knobsAndStructure(version.task.knobs, files), ...rest };
}

/** Names the most informative run of a candidate with its outcome, and the number of all runs. */
function describeRuns(runs: readonly CandidateRun[]): string {
  const run = runs.find(wasStopped) ?? runs.find(({ value }) => value !== null) ?? runs[0];
  if (run === undefined) throw new Error('Expected a run of a known candidate, got none');
  const others = runs.length > 1 ? `; it has ${plural(runs.length, 'run')}` : '';
  return `the same candidate as trial ${run.n}, which ${describeOutcome(run)}${others}`;
}

const wasStopped = ({ failure }: CandidateRun): boolean => failure === 'cannot-win';

function describeOutcome(run: CandidateRun): string {
  const { status, value } = run;
  if (status === null) return 'is running';
  if (value !== null) return `gave ${numberText(value)}`;
  return wasStopped(run) ? 'was stopped early, since it could not win' : `ended as ${status}`;
}
