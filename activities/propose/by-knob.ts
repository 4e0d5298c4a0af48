import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { proposeRandom } from '../../domain/proposer/random.ts';
import type { Proposal, ProposeContext } from './types.ts';

/** One knob of the parent at random; the trial's seed decides, so a retry proposes the same. */
export function proposeByKnob({ trial, version, files }: ProposeContext): Proposal {
  const drawn = proposeRandom({ knobs: version.task.knobs, files, seed: trial.seed });
  if (!drawn.ok) return { ok: false, failure: { label: 'proposer-failed', message: drawn.reason } };
  const { edits, hypothesis } = drawn;
  const applied = applyEdits(files, edits, version.mutablePaths);
  if (!applied.ok) return { ok: false, failure: { label: applied.label, message: applied.reason } };
  return { ok: true, proposed: { files: applied.files, hypothesis, expectedDelta: null, edits } };
}
