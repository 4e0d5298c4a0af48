import type { Trial } from '../../db/trial/proposal.ts';
import { candidateContent } from '../../domain/trial/candidate.ts';
import type { Draw, DrawInput } from '../../domain/search/proposer.ts';
import { otherDraws } from '../../domain/search/proposer/other-draws.ts';
import { seedOf } from '../../domain/trial/seed.ts';
import { proposesBy } from '../../domain/trial/trial-seeds.ts';
import type { Failure } from '../../domain/trial.ts';
import { applied } from './applied.ts';
import { storeIfNew, storeProposal } from './store-proposal.ts';
import type { Proposal, ProposeContext, Proposed } from './types.ts';

/** Draws of the proposer for one proposal: a knob with few values soon gives what has been run already. */
const DRAWS = 8;
/** Draws beyond those that are looked up together. */
const BATCH = 64;

type DrawBy = (input: DrawInput) => Draw;

/**
 * Stores a proposal that a proposer draws by the trial's seed. Where its draws are known other values of the knobs are taken,
 * so that nothing runs twice while anything is new; where nothing is, the trial has no proposal.
 */
export async function proposeByDraw(context: ProposeContext, draw: DrawBy): Promise<Trial | { rejected: Failure }> {
  for (;;) {
    const found = await newProposal(context, draw);
    if ('rejected' in found) return found;
    const stored = await (found.isNew ? storeIfNew : storeProposal)(context, found.proposed);
    // Null where another proposal was faster with the same.
    if (stored) return stored;
  }
}

type Found = { proposed: Proposed; isNew: boolean } | { rejected: Failure };

async function newProposal(context: ProposeContext, draw: DrawBy): Promise<Found> {
  const seed = proposesBy(context.trial);
  const drawn = (by: number): Proposal => applied(context, draw({ ...inputOf(context), seed: by }));
  const first = drawn(seed);
  // Nearly always: the other draws would cost a candidate's hash each.
  const proposed =
    (await firstNew(context, [first])) ??
    (await firstNew(
      context,
      Array.from({ length: DRAWS - 1 }, (_, i) => drawn(seedOf(`${seed}/${i + 1}`))),
    ));
  if (proposed) return { proposed, isNew: true };
  const others = await firstOther(context, seed);
  if (others.proposed) return { proposed: others.proposed, isNew: true };
  if (others.looked > 0) return { rejected: { label: 'nothing-new', message: TRIED } };
  return first.ok ? { proposed: first.proposed, isNew: false } : { rejected: first.failure };
}

const TRIED = 'every value of the knobs has been tried';

const inputOf = ({ version, files }: ProposeContext): Omit<DrawInput, 'seed'> => ({ knobs: version.task.knobs, files });

/** The first of the other draws that is new, and how many of them could be proposed at all. */
async function firstOther(context: ProposeContext, seed: number): Promise<{ proposed?: Proposed; looked: number }> {
  let looked = 0;
  for (const batch of batchesOf(otherDraws({ ...inputOf(context), seed }))) {
    context.signal.throwIfAborted();
    const proposals = batch.map((drawn) => applied(context, drawn)).filter(({ ok }) => ok);
    looked += proposals.length;
    const proposed = await firstNew(context, proposals);
    if (proposed) return { proposed, looked };
  }
  return { looked };
}

function* batchesOf(draws: Iterable<Draw>): Generator<Draw[]> {
  let batch: Draw[] = [];
  for (const draw of draws) {
    batch.push(draw);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The first of them that would be a candidate of its own. */
async function firstNew({ deps, trial, version }: ProposeContext, drawn: Proposal[]): Promise<Proposed | undefined> {
  const found = drawn.flatMap((proposal) =>
    proposal.ok
      ? {
          proposed: proposal.proposed,
          id: deps.machine.sha256(candidateContent(proposal.proposed.files, version.immutableHash)),
        }
      : [],
  );
  const known = new Set(await deps.store.trial.findKnown({ trial, candidateIds: found.map(({ id }) => id) }));
  return found.find(({ id }) => !known.has(id))?.proposed;
}
