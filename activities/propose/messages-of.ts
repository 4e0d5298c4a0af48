import type { Research } from '../../db/research/research.ts';
import { baseline, claim } from '../../domain/gate/gate.ts';
import { buildMessages } from '../../domain/prompt/build-messages.ts';
import { contextOf } from '../../domain/search/context/table.ts';
import { historyOf, measured, parentOf } from './context.ts';
import type { Correction, ProposeContext } from './types.ts';

/** People's advice that a prompt has, the newest. */
export const NOTES = 20;

/** The prompt of a proposal that edits files, as the task's context has it. */
export async function messagesOf(
  { deps, trial, version, files }: ProposeContext,
  { research, correction }: { research: Research; correction: Correction | null },
) {
  const { task } = version;
  const { method } = contextOf(task.search.context);
  const limit = method.readsTrials ? task.search.history : 0;
  const input = {
    task,
    prompt: version.prompt,
    files,
    parent: await parentOf(deps, trial),
    incumbent: measured(claim(research.gate)),
    baseline: measured(baseline(research.gate)),
    history: await historyOf(deps, { researchId: research.id, limit }),
    notes: await deps.store.research.findNotes({ researchId: research.id, limit: NOTES }),
    ...(correction ? { correction } : {}),
  };
  return buildMessages(input, { parts: method.parts });
}
