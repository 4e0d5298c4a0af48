import { applyEdits } from '../../../domain/edit/apply-edits.ts';
import type { Draw } from '../../../domain/search/proposer.ts';
import type { Proposal, ProposeContext } from '../propose-context.ts';

/** The proposal that a draw makes of the parent's files; a failure if its edits do not apply. */
export function applyDraw({ scope, files }: Pick<ProposeContext, 'scope' | 'files'>, drawn: Draw): Proposal {
  if (!drawn.ok) return { ok: false, failure: { label: 'proposer-failed', message: drawn.reason } };
  const { edits, hypothesis } = drawn;
  const result = applyEdits(files, edits, scope);
  if (!result.ok) return { ok: false, failure: { label: result.label, message: result.reason } };
  return { ok: true, proposed: { files: result.files, hypothesis, expectedDelta: null, edits } };
}
