import { candidateContent } from '../../domain/candidate.ts';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { proposeRandom } from '../../domain/proposer/random.ts';
import { seedOf } from '../../domain/seed.ts';
import type { Proposal, ProposeContext } from './types.ts';

/** Draws for one proposal: a knob with few values soon gives what has been run already. */
const DRAWS = 8;

/** One knob of the parent at random, drawn by the trial's seed; drawn again where that candidate is known already. */
export async function proposeByKnob(context: ProposeContext): Promise<Proposal> {
  const { deps, trial, version } = context;
  const drawn = Array.from({ length: DRAWS }, (_, i) =>
    draw(context, i === 0 ? trial.seed : seedOf(`${trial.seed}/${i}`)),
  );
  const ids = drawn.map((proposal) =>
    proposal.ok ? deps.sha256(candidateContent(proposal.proposed.files, version.immutableHash)) : '',
  );
  const known = new Set(await deps.store.findKnown({ trial, candidateIds: ids }));
  const [first] = drawn;
  const fresh = drawn.find((proposal, i) => proposal.ok && !known.has(ids[i] ?? ''));
  return fresh ?? first ?? { ok: false, failure: { label: 'proposer-failed', message: 'nothing was drawn' } };
}

function draw({ version, files }: ProposeContext, seed: number): Proposal {
  const drawn = proposeRandom({ knobs: version.task.knobs, files, seed });
  if (!drawn.ok) return { ok: false, failure: { label: 'proposer-failed', message: drawn.reason } };
  const { edits, hypothesis } = drawn;
  const applied = applyEdits(files, edits, version.mutablePaths);
  if (!applied.ok) return { ok: false, failure: { label: applied.label, message: applied.reason } };
  return { ok: true, proposed: { files: applied.files, hypothesis, expectedDelta: null, edits } };
}
