import { candidateContent } from '../../domain/trial/candidate.ts';
import type { Draw, DrawInput } from '../../domain/search/proposer.ts';
import { seedOf } from '../../domain/trial/seed.ts';
import { proposesBy } from '../../domain/trial/trial-seeds.ts';
import { applied } from './applied.ts';
import type { Proposal, ProposeContext } from './types.ts';

/** Draws for one proposal: a knob with few values soon gives what has been run already. */
const DRAWS = 8;

/** A proposal that a proposer draws by the trial's seed; drawn again where that candidate is known already. */
export async function proposeByDraw(context: ProposeContext, draw: (input: DrawInput) => Draw): Promise<Proposal> {
  const { trial } = context;
  const drawn = (seed: number): Proposal => applied(context, draw({ ...inputOf(context), seed }));
  const first = drawn(proposesBy(trial));
  // Nearly always: the other draws would cost a candidate's hash each.
  if (await firstFresh(context, [first])) return first;
  const others = Array.from({ length: DRAWS - 1 }, (_, i) => drawn(seedOf(`${proposesBy(trial)}/${i + 1}`)));
  return (await firstFresh(context, others)) ?? first;
}

const inputOf = ({ version, files }: ProposeContext): Omit<DrawInput, 'seed'> => ({ knobs: version.task.knobs, files });

/** The first of them that would be a candidate of its own. */
async function firstFresh({ deps, trial, version }: ProposeContext, drawn: Proposal[]): Promise<Proposal | undefined> {
  const found = drawn.flatMap((proposal) =>
    proposal.ok
      ? { proposal, id: deps.machine.sha256(candidateContent(proposal.proposed.files, version.immutableHash)) }
      : [],
  );
  const known = new Set(await deps.store.trial.findKnown({ trial, candidateIds: found.map(({ id }) => id) }));
  return found.find(({ id }) => !known.has(id))?.proposal;
}
