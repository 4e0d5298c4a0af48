import type { Trial } from '../../../db/trial/proposal.ts';
import type { ReplaySettings } from '../../../domain/search/proposer/replay.ts';
import { applyListed } from '../../../domain/search/replay/apply-listed.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import type { Failure } from '../../../domain/trial.ts';
import { firstNew } from '../draw/first-new.ts';
import type { Proposal, ProposeContext } from '../propose-context.ts';
import { storeIfNew } from '../store-proposal.ts';
import { listOf, type Listed } from './list-of.ts';

/** Candidates that are loaded and looked up at once. */
const BATCH = 16;
/** Unusable candidates that a message names. */
const MOST_NAMED = 5;

/**
 * Stores the first candidate of the list that no trial has had. If there is none, the trial gets no proposal, and its
 * message names the candidates that this parent or this version of the task cannot take.
 */
export async function proposeByReplay(
  context: ProposeContext,
  settings: ReplaySettings,
): Promise<Trial | { rejected: Failure }> {
  const list = await listOf(context, settings);
  const { deps, trial } = context;
  const { researchId, taskHash } = trial;
  const proposer = trial.proposer ?? '';
  // Each earlier proposal used up at least one candidate from the top.
  const used = await deps.store.trial.countProposals({ researchId, taskHash, proposer });
  const later = await storeFirst(context, list.slice(used));
  if ('id' in later) return later;
  // A candidate near the top may be new again, since machines lost its run.
  const { unusable } = later;
  const earlier = await storeFirst(context, list.slice(0, used));
  if ('id' in earlier) return earlier;
  const all = [...earlier.unusable, ...unusable];
  const named = all.slice(0, MOST_NAMED);
  if (all.length > MOST_NAMED) named.push(`and ${all.length - MOST_NAMED} more`);
  const evidence = all.length === 0 ? '' : `; ${all.length} cannot be used: ${named.join('; ')}`;
  const tried = all.length < list.length ? 'every candidate of the list has been tried' : 'the list has no candidate';
  return { rejected: { label: 'nothing-new', message: `${tried} (${settings.from ?? ''})${evidence}` } };
}

/** Stores the first new candidate; else returns the unusable ones with their reasons. */
async function storeFirst(context: ProposeContext, list: readonly Listed[]): Promise<Trial | { unusable: string[] }> {
  const unusable: string[] = [];
  for (let from = 0; from < list.length;) {
    context.signal.throwIfAborted();
    const proposals: Proposal[] = [];
    const reasons: string[] = [];
    for (const listed of list.slice(from, from + BATCH)) {
      const made = await proposalOf(context, listed);
      if (typeof made === 'string') reasons.push(made);
      else if (made !== null) proposals.push(made);
    }
    const proposed = await firstNew(context, proposals);
    if (proposed) {
      const stored = await storeIfNew(context, proposed);
      if (stored) return stored;
      // Another trial stored the same candidate first. Reads the batch again.
      continue;
    }
    unusable.push(...reasons);
    from += BATCH;
  }
  return { unusable };
}

/** The proposal of a listed candidate; null if it is the parent, a text if it cannot be used. */
async function proposalOf(
  { files, scope, deps }: ProposeContext,
  { label, load }: Listed,
): Promise<Proposal | null | string> {
  const candidate = await load(deps.store);
  if (typeof candidate === 'string') return `${label}: ${oneLine(candidate)}`;
  const applied = applyListed(candidate, { parent: files, scope });
  if (!applied.ok) return applied.isParent ? null : `${label}: ${oneLine(applied.reason)}`;
  const { files: changed, hypothesis, edits } = applied;
  return { ok: true, proposed: { files: changed, hypothesis, expectedDelta: null, edits } };
}
