import type { Trial } from '../../../db/trial/proposal.ts';
import type { Draw, KnobInput } from '../../../domain/search/proposer.ts';
import { drawInSpace } from '../../../domain/search/proposer/space/draw-in-space.ts';
import { proposerSeedOf } from '../../../domain/trial/trial-seeds.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { ProposeContext } from '../propose-context.ts';
import { storeIfNew } from '../store-proposal.ts';
import { firstNewOf } from './first-new.ts';

/** A proposer that lists its draws, with its settings bound. */
export interface Lister {
  name: string;
  list: (input: KnobInput) => Iterable<Draw>;
}

/** Stores the first new proposal of a list. If the list has none, the trial gets no proposal. */
export async function proposeByList(
  context: ProposeContext,
  { name, list }: Lister,
): Promise<Trial | { rejected: Failure }> {
  const { trial, version, files } = context;
  const input: KnobInput = { knobs: version.task.knobs, files, seed: proposerSeedOf(trial) };
  for (;;) {
    const reasons: string[] = [];
    // The first draw is nearly always new, and each further one costs a hash.
    const { proposed, applied } = await firstNewOf(context, inSpace(list(input), { input, reasons }), 1);
    if (proposed) {
      const stored = await storeIfNew(context, proposed);
      // Null: another trial stored the same candidate first.
      if (stored) return stored;
      continue;
    }
    const [reason] = reasons;
    if (applied === 0 && reason !== undefined) return { rejected: { label: 'proposer-failed', message: reason } };
    return { rejected: { label: 'nothing-new', message: `every candidate of ${name} has been tried` } };
  }
}

/** The draws inside the search space. `reasons` gets the reason of the first draw that failed. */
function* inSpace(draws: Iterable<Draw>, { input, reasons }: { input: KnobInput; reasons: string[] }): Generator<Draw> {
  for (const drawn of draws) {
    const within = drawInSpace(input, () => drawn);
    if (!within.ok && reasons.length === 0) reasons.push(within.reason);
    yield within;
  }
}
