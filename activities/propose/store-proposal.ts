import { cleanText } from '../../domain/json/clean-text.ts';
import { numberText } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import { mayRunAgain, runsOfCandidate } from '../../domain/search/rerun.ts';
import { candidateContent, deletedIn } from '../../domain/trial/candidate.ts';
import type { CandidateRun, ProposalInput, Trial } from '../../db/trial/proposal.ts';
import type { Failure } from '../../domain/trial.ts';
import type { Outcome } from '../outcome/observer.ts';
import { settleIn } from '../outcome/settle.ts';
import { findReusedValue, type Reused } from './known/reuse.ts';
import { findSameProgram, samenessFor } from './known/same-program.ts';
import { knobsAndStructure } from './structure-of.ts';
import type { ProposeContext, Proposed } from './propose-context.ts';

/** A transaction that holds the research's lock, with the context of the trial. */
interface Storing extends Pick<Outcome, 'tx' | 'research'> {
  context: ProposeContext;
}

/**
 * Stores a proposal with the knobs and the structure of its candidate, and decides whether the candidate runs. Both
 * happen in one transaction under the research's lock, so that no candidate runs too often. The memory in the answer is
 * stored in it, too. If the candidate has had its runs, the same transaction ends the trial as `cached`. The first
 * stored proposal stays.
 */
export async function storeProposal(context: ProposeContext, { memory, ...proposed }: Proposed): Promise<Trial> {
  const proposal = await proposalOf(context, proposed);
  return context.deps.store.withResearch(context.trial.researchId, (tx, research) =>
    storeIn({ tx, research, context }, proposal, memory),
  );
}

/**
 * Stores a proposal under the research's lock. Returns null if another trial ran its candidate or is about to run it. A
 * candidate that is new only by its comments and formatting is stored as `storeProposal` stores it.
 */
export async function storeIfNew(context: ProposeContext, proposed: Proposed): Promise<Trial | null> {
  const { deps, trial } = context;
  const proposal = await proposalOf(context, proposed);
  return deps.store.withResearch(trial.researchId, async (tx, research) => {
    const known = await tx.trial.findCandidatesAlreadyRun({ trial, candidateIds: [proposal.candidate.id] });
    return known.length > 0 ? null : storeIn({ tx, research, context }, proposal);
  });
}

type Storable = Omit<ProposalInput, 'runsBefore'>;

async function storeIn({ tx, research, context }: Storing, proposal: Storable, memory?: string): Promise<Trial> {
  const { trial, version } = context;
  const before = await tx.trial.loadTrial(trial.id);
  if (before.candidateId !== null || before.status !== null) return before;
  // Each sample of an evaluation is measured by its own run.
  const isSample = research.gateConfig.measuresOnly === true || before.kind === 'evaluation';
  const { candidate } = proposal;
  const same = isSample ? null : await findSameProgram({ store: tx }, { trial: before, candidate });
  if (same !== null && same.id === before.parentId)
    return settleNow({ tx, research, context }, { status: 'rejected', failure: SAME_AS_PARENT, notes: null });
  const standing = same === null ? proposal : await standFor({ tx, research, context }, { proposal, same });
  const runs = isSample ? [] : await tx.trial.findOtherRuns({ ...before, candidateId: standing.candidate.id });
  const stored = await tx.trial.saveProposal({ ...standing, runsBefore: runs.length });
  if (memory !== undefined)
    await tx.trial.saveMemory({ researchId: trial.researchId, trialId: trial.id, text: cleanText(memory) });
  const reused =
    isSample || runs.length > 0
      ? null
      : await findReusedValue({ tx, research }, { trial: stored, candidateId: standing.candidate.id, version });
  if (reused !== null) return settleReused({ tx, research, context }, reused);
  if (mayRunAgain(runs, runsOfCandidate(version.task.search))) return stored;
  const notes = describeRuns(runs, same === null ? 'candidate' : 'program');
  return settleNow({ tx, research, context }, { status: 'cached', failure: null, notes });
}

const SAME_AS_PARENT: Failure = {
  label: 'no-change',
  message: 'the edits change only comments and formatting of the parent',
};

/** The proposal with the known candidate of the same program in place of its own, which is stored, too. */
async function standFor(
  { tx, context: { version } }: Storing,
  { proposal, same }: { proposal: Storable; same: { id: string } },
): Promise<Storable> {
  const { candidate } = proposal;
  await tx.trial.saveCandidate(candidate);
  const files = await tx.trial.loadCandidateFiles(same.id);
  return {
    ...proposal,
    ...knobsAndStructure(version.task.knobs, files),
    candidate: { id: same.id, immutableHash: candidate.immutableHash, files },
    proposedId: candidate.id,
  };
}

/** Ends the trial with a value that another research measured. */
async function settleReused(
  { tx, research, context: { trial } }: Storing,
  { from, value, metrics }: Reused,
): Promise<Trial> {
  const outcome = { status: 'completed', failure: null, value, metrics, evaluatorNotes: null, trusted: true } as const;
  await settleIn({ tx, research }, { trialId: trial.id, researchId: trial.researchId, reusedFrom: from, ...outcome });
  return tx.trial.loadTrial(trial.id);
}

/** Ends the trial without a run. */
async function settleNow(
  { tx, research, context: { trial } }: Storing,
  { status, failure, notes }: { status: 'cached' | 'rejected'; failure: Failure | null; notes: string | null },
): Promise<Trial> {
  const outcome = { status, failure, value: null, metrics: {}, evaluatorNotes: notes, trusted: true };
  await settleIn({ tx, research }, { trialId: trial.id, researchId: trial.researchId, ...outcome });
  return tx.trial.loadTrial(trial.id);
}

async function proposalOf(context: ProposeContext, { files, ...rest }: Omit<Proposed, 'memory'>): Promise<Storable> {
  const { deps, trial, version } = context;
  const { immutableHash } = version;
  const deleted = deletedIn(files, version.mutablePaths);
  const id = deps.machine.sha256(candidateContent(files, immutableHash, deleted));
  const sameness = await samenessFor(context, { immutableHash, files });
  const candidate = { id, immutableHash, files, deleted, sameness };
  return { trialId: trial.id, candidate, ...knobsAndStructure(version.task.knobs, files), ...rest };
}

/** Names the most informative run of a candidate with its outcome, and the number of all runs. */
function describeRuns(runs: readonly CandidateRun[], what: 'candidate' | 'program'): string {
  const run = runs.find(wasStopped) ?? runs.find(({ value }) => value !== null) ?? runs[0];
  if (run === undefined) throw new Error('Expected a run of a known candidate, got none');
  const others = runs.length > 1 ? `; it has ${plural(runs.length, 'run')}` : '';
  return `the same ${what} as trial ${run.n}, which ${describeOutcome(run)}${others}`;
}

const wasStopped = ({ failure }: CandidateRun): boolean => failure === 'cannot-win';

function describeOutcome(run: CandidateRun): string {
  const { status, value } = run;
  if (status === null) return 'is running';
  if (value !== null) return `gave ${numberText(value)}`;
  return wasStopped(run) ? 'was stopped early, since it could not win' : `ended as ${status}`;
}
