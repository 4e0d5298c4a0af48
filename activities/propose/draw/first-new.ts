import type { Draw } from '../../../domain/search/proposer.ts';
import { candidateContent, deletedIn } from '../../../domain/trial/candidate.ts';
import type { Proposal, ProposeContext, Proposed } from '../propose-context.ts';
import { applyDraw } from './apply-draw.ts';

/** Draws whose candidates are looked up in one query. */
const BATCH = 64;

/** The first proposal whose candidate no other trial has. */
export async function firstNew(
  { deps, trial, version }: ProposeContext,
  proposals: readonly Proposal[],
): Promise<Proposed | undefined> {
  const found = proposals.flatMap((proposal) => {
    if (!proposal.ok) return [];
    const { proposed } = proposal;
    const deleted = deletedIn(proposed.files, version.mutablePaths);
    const content = candidateContent(proposed.files, version.immutableHash, deleted);
    return [{ proposed, id: deps.machine.sha256(content) }];
  });
  const known = new Set(
    await deps.store.trial.findCandidatesAlreadyRun({ trial, candidateIds: found.map(({ id }) => id) }),
  );
  return found.find(({ id }) => !known.has(id))?.proposed;
}

/**
 * The first new proposal among many draws. `applied`: draws whose edits could be applied before it. `first`: draws that
 * are looked up in the first query.
 */
export async function firstNewOf(
  context: ProposeContext,
  draws: Iterable<Draw>,
  first = BATCH,
): Promise<{ proposed?: Proposed; applied: number }> {
  let applied = 0;
  for (const batch of batchesOf(draws, first)) {
    context.signal.throwIfAborted();
    const proposals = batch.map((drawn) => applyDraw(context, drawn)).filter(({ ok }) => ok);
    applied += proposals.length;
    const proposed = await firstNew(context, proposals);
    if (proposed) return { proposed, applied };
  }
  return { applied };
}

function* batchesOf(draws: Iterable<Draw>, first: number): Generator<Draw[]> {
  let size = first;
  let batch: Draw[] = [];
  for (const draw of draws) {
    batch.push(draw);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    size = BATCH;
  }
  if (batch.length > 0) yield batch;
}
