import { isBrokenOff, isCutOff, isFiltered } from '../../domain/edit/answer/finish-reason.ts';
import { takeMemory } from '../../domain/edit/answer/memory.ts';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { parseAnswer } from '../../domain/edit/parse-answer.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import type { ModelAnswer, Proposal } from './propose-context.ts';

/**
 * Reads a model's answer into a changed set of files, or returns a failure with the reason: a refusal, an unreadable or
 * unusable edit, or an answer that was cut at its token limit. `limit` names the key that bounds the tokens of a
 * policy. `keepsMemory`: the answer may replace the model's memory. A cut answer of a policy is read as far as it goes, since a policy is not asked again.
 */
export function readAnswer(
  answer: ModelAnswer & { limit?: string; keepsMemory?: boolean },
  files: Record<string, string>,
  mutablePaths: string[],
): Proposal {
  const failed = (label: FailureLabel, message: string): Proposal => ({ ok: false, failure: { label, message } });
  if (answer.refusal !== null || isFiltered(answer.finishReason))
    return failed('refusal', `the model refused: ${(answer.refusal ?? 'content filter').slice(0, 300)}`);
  const cut = isCutOff(answer.finishReason) ? ` (the answer was cut at ${answer.limit ?? 'llm.maxTokens'})` : '';
  const broken = isBrokenOff(answer.finishReason)
    ? ` (the endpoint broke the answer off: ${JSON.stringify(answer.finishReason)})`
    : '';
  const taken = answer.keepsMemory === true ? takeMemory(answer.text, { known: mutablePaths, files }) : null;
  if (taken?.ok === false) return failed('unreadable-answer', taken.reason + cut + broken);
  const parsed = parseAnswer(taken === null ? answer.text : taken.rest, mutablePaths, files);
  if (!parsed.ok) return failed('unreadable-answer', parsed.reason + cut + broken);
  if (cut !== '' && answer.limit === undefined)
    return failed(
      'unreadable-answer',
      `expected a whole answer, got ${parsed.edits.length} edit${parsed.edits.length === 1 ? '' : 's'} ` +
        `and the beginning of what may be more; give a shorter answer${cut}`,
    );
  if (broken !== '' && answer.limit === undefined)
    return failed('unreadable-answer', `expected a whole answer, got the beginning of one${broken}`);
  const applied = applyEdits(files, parsed.edits, mutablePaths);
  if (!applied.ok) return failed(applied.label, applied.reason);
  const { hypothesis, expectedDelta, edits } = parsed;
  const memory = taken === null || taken.memory === null ? {} : { memory: taken.memory };
  return { ok: true, proposed: { files: applied.files, hypothesis, expectedDelta, edits, ...memory } };
}
