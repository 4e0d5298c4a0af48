import { candidateContent } from '../../domain/candidate.ts';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { proposeRandom } from '../../domain/proposer/random.ts';
import { seedOf } from '../../domain/seed.ts';
import type { Proposal, ProposeContext } from './types.ts';

/** Draws for one proposal: a knob with few values soon gives what has been run already. */
const DRAWS = 8;

/** One knob of the parent at random, drawn by the trial's seed; drawn again where that candidate is known already. */
export async function proposeByKnob(context: ProposeContext): Promise<Proposal> {
  const { trial } = context;
  const first = draw(context, trial.seed);
  // Nearly always: the other draws would cost a candidate's hash each.
  if (await firstFresh(context, [first])) return first;
  const others = Array.from({ length: DRAWS - 1 }, (_, i) => draw(context, seedOf(`${trial.seed}/${i + 1}`)));
  return (await firstFresh(context, others)) ?? first;
}

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

function draw({ version, files }: ProposeContext, seed: number): Proposal {
  const drawn = proposeRandom({ knobs: version.task.knobs, files, seed });
  if (!drawn.ok) return { ok: false, failure: { label: 'proposer-failed', message: drawn.reason } };
  const { edits, hypothesis } = drawn;
  const applied = applyEdits(files, edits, version.mutablePaths);
  if (!applied.ok) return { ok: false, failure: { label: applied.label, message: applied.reason } };
  return { ok: true, proposed: { files: applied.files, hypothesis, expectedDelta: null, edits } };
}
