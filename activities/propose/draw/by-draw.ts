import type { Trial } from '../../../db/trial/proposal.ts';
import type { Draw, KnobInput, OnKnown } from '../../../domain/search/proposer.ts';
import { drawInSpace, otherDrawsInSpace } from '../../../domain/search/proposer/space/draw-in-space.ts';
import { NEIGHBOURS } from '../../../domain/search/proposer/table.ts';
import { hashToSeed } from '../../../domain/trial/seed.ts';
import { proposerSeedOf } from '../../../domain/trial/trial-seeds.ts';
import type { Failure } from '../../../domain/trial.ts';
import { applyDraw } from './apply-draw.ts';
import { firstNew, firstNewOf } from './first-new.ts';
import { storeIfNew, storeProposal } from '../store-proposal.ts';
import type { Proposal, ProposeContext, Proposed } from '../propose-context.ts';

/** Draws for one proposal. With few values of the knobs, a draw soon repeats a known candidate. */
const DRAWS = 8;

/** A proposer that draws, with its settings bound. */
export interface Drawer {
  name: string;
  draw: (input: KnobInput) => Draw;
  onKnown: OnKnown;
}

/**
 * Stores a proposal that is drawn with the trial's seed. If all draws are known candidates, the proposer's `onKnown`
 * decides: either other values of the knobs are drawn, stored under the proposer `neighbours`, or the trial gets no
 * proposal.
 */
export async function proposeByDraw(context: ProposeContext, drawer: Drawer): Promise<Trial | { rejected: Failure }> {
  for (;;) {
    const found = await newProposal(context, drawer);
    if ('rejected' in found) return found;
    const stored = await (found.isNew ? storeIfNew : storeProposal)(context, found.proposed);
    // Null: another trial stored the same candidate first. Draws again.
    if (stored) return stored;
  }
}

type Found = { proposed: Proposed; isNew: boolean } | { rejected: Failure };

async function newProposal(context: ProposeContext, { name, draw, onKnown }: Drawer): Promise<Found> {
  const seed = proposerSeedOf(context.trial);
  const drawWith = (drawSeed: number): Proposal =>
    applyDraw(context, drawInSpace({ ...inputOf(context), seed: drawSeed }, draw));
  const first = drawWith(seed);
  // The first draw is nearly always new, and each further one costs a hash.
  const proposed =
    (await firstNew(context, [first])) ??
    (await firstNew(
      context,
      Array.from({ length: DRAWS - 1 }, (_, i) => drawWith(hashToSeed(`${seed}/${i + 1}`))),
    ));
  if (proposed) return { proposed, isNew: true };
  // If the first draw failed, its failure is more informative than `nothing-new`.
  if (onKnown === 'stop') return { rejected: first.ok ? nothingNew(stopped(name)) : first.failure };
  const others = await firstNewOf(context, otherDrawsInSpace({ ...inputOf(context), seed }));
  if (others.proposed) return { proposed: { ...others.proposed, by: neighbour(name) }, isNew: true };
  if (others.applied > 0) return { rejected: nothingNew('every value of the knobs has been tried') };
  return first.ok ? { proposed: first.proposed, isNew: false } : { rejected: first.failure };
}

const nothingNew = (message: string): Failure => ({ label: 'nothing-new', message });
const stopped = (name: string): string =>
  `all ${DRAWS} draws of ${name} repeated earlier candidates, and it takes no other values`;
const neighbour = (name: string) => ({
  proposer: NEIGHBOURS,
  reason: `all ${DRAWS} draws of ${name} repeated earlier candidates, so other values were taken`,
});

const inputOf = ({ version, files }: ProposeContext): Omit<KnobInput, 'seed'> => ({ knobs: version.task.knobs, files });
