import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { parseAnswer } from '../../domain/edit/parse-answer.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import type { ModelAnswer, Proposal } from './types.ts';

/** Reads a model's answer into a changed set of files; a refusal, an unreadable or a useless edit says why. `limit`: the key that bounds its tokens. */
export function readAnswer(
  answer: ModelAnswer & { limit?: string },
  files: Record<string, string>,
  mutablePaths: string[],
): Proposal {
  const failed = (label: FailureLabel, message: string): Proposal => ({ ok: false, failure: { label, message } });
  if (answer.refusal !== null || answer.finishReason === 'content_filter')
    return failed('refusal', `the model refused: ${(answer.refusal ?? 'content filter').slice(0, 300)}`);
  const parsed = parseAnswer(answer.text);
  if (!parsed.ok) {
    const cut = answer.finishReason === 'length' ? ` (the answer was cut at ${answer.limit ?? 'llm.maxTokens'})` : '';
    return failed('unreadable-answer', parsed.reason + cut);
  }
  const applied = applyEdits(files, parsed.edits, mutablePaths);
  if (!applied.ok) return failed(applied.label, applied.reason);
  const { hypothesis, expectedDelta, edits } = parsed;
  return { ok: true, proposed: { files: applied.files, hypothesis, expectedDelta, edits } };
}
