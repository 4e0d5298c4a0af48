import { isBrokenOff, isCutOff, isFiltered } from '../../domain/edit/answer/finish-reason.ts';
import { memoryProblem, takeMemory } from '../../domain/edit/answer/memory.ts';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import type { EditScope } from '../../domain/edit/scope/edit-scope.ts';
import type { AnswerPaths } from '../../domain/edit/answer/known-paths.ts';
import { parseAnswer } from '../../domain/edit/parse-answer.ts';
import { PROPOSE, readToolCalls, type ToolAnswer } from '../../domain/edit/tools/propose-tool.ts';
import type { LlmSettings } from '../../domain/search/schema.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import type { ModelAnswer, Proposal } from './propose-context.ts';

/**
 * Reads a model's answer into a changed set of files, or returns a failure with the reason: a refusal, an unreadable or
 * unusable edit, or an answer that was cut at its token limit. `limit` names the key that bounds the tokens of a
 * policy. `keepsMemory`: the answer may replace the model's memory. A cut answer of a policy is read as far as it goes,
 * since a policy is not asked again. `form`: if it is `tools`, text without a tool call is no answer.
 */
export function readAnswer(
  answer: ModelAnswer & { limit?: string; keepsMemory?: boolean; form?: LlmSettings['edits'] },
  files: Record<string, string>,
  scope: EditScope,
): Proposal {
  const failed = (label: FailureLabel, message: string): Proposal => ({ ok: false, failure: { label, message } });
  if (answer.refusal !== null || isFiltered(answer.finishReason))
    return failed('refusal', `the model refused: ${(answer.refusal ?? 'content filter').slice(0, 300)}`);
  const cut = isCutOff(answer.finishReason) ? ` (the answer was cut at ${answer.limit ?? 'llm.maxTokens'})` : '';
  const broken = isBrokenOff(answer.finishReason)
    ? ` (the endpoint broke the answer off: ${JSON.stringify(answer.finishReason)})`
    : '';
  const known = knownIn(files, scope);
  const taken = answer.keepsMemory === true ? takeMemory(answer.text, { known: known.paths, files }) : null;
  if (taken?.ok === false) return failed('unreadable-answer', taken.reason + cut + broken);
  const text = taken === null ? answer.text : taken.rest;
  const parsed = parsedOf(answer, () => parseAnswer(text, known, files));
  if (!parsed.ok) return failed('unreadable-answer', parsed.reason + cut + broken);
  const tooLong = taken !== null && parsed.memory !== undefined ? memoryProblem(parsed.memory, 'memory') : null;
  if (tooLong !== null) return failed('unreadable-answer', `the tool call: ${tooLong}${cut}${broken}`);
  if (cut !== '' && answer.limit === undefined)
    return failed(
      'unreadable-answer',
      `expected a whole answer, got ${parsed.edits.length} edit${parsed.edits.length === 1 ? '' : 's'} ` +
        `and the beginning of what may be more; give a shorter answer${cut}`,
    );
  if (broken !== '' && answer.limit === undefined)
    return failed('unreadable-answer', `expected a whole answer, got the beginning of one${broken}`);
  const applied = applyEdits(files, parsed.edits, scope);
  if (!applied.ok) return failed(applied.label, applied.reason);
  const { hypothesis, expectedDelta, edits } = parsed;
  const memory = parsed.memory ?? taken?.memory ?? null;
  const kept = taken === null || memory === null ? {} : { memory };
  return { ok: true, proposed: { files: applied.files, hypothesis, expectedDelta, edits, ...kept } };
}

/** Reads tool calls if there are any, else the text. */
function parsedOf(
  { toolCalls = [], form = 'text' }: ModelAnswer & { form?: LlmSettings['edits'] },
  parseText: () => ToolAnswer,
): ToolAnswer {
  if (toolCalls.length > 0) return readToolCalls(toolCalls);
  if (form === 'tools') return { ok: false, reason: `expected a call of the tool ${PROPOSE}, got text alone` };
  return parseText();
}

/** Paths that an answer may name: the mutable files, and the parent's new files. */
const knownIn = (files: Record<string, string>, { mutablePaths, rules }: EditScope): AnswerPaths => ({
  paths: [...new Set([...mutablePaths, ...Object.keys(files)])],
  deletes: rules.create.length + rules.remove.length > 0,
});
