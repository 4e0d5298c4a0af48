import type { Research } from '../../../db/research/research.ts';
import { knobText } from '../../../domain/prompt/knob-text.ts';
import { contextOf } from '../../../domain/search/context/table.ts';
import type { PolicySettings } from '../../../domain/search/proposer/policy.ts';
import type { Prompt } from '../../../domain/learning/prompt.ts';
import { historyOf } from '../prompt/context.ts';
import { messagesOf, NOTES } from '../prompt/messages-of.ts';
import type { ProposeContext } from '../types.ts';

/** The prompt of a policy: for values of knobs plain text that ends where the first value begins, else that of a model that edits. */
export async function promptOf(
  context: ProposeContext,
  { research, settings }: { research: Research; settings: PolicySettings },
): Promise<Prompt> {
  if (settings.answers === 'edits')
    return { form: 'chat', messages: await messagesOf(context, { research, correction: null, lean: true }) };
  const { deps, version } = context;
  const { task, prompt } = version;
  const { method } = contextOf(task.search.context);
  const limit = method.readsTrials ? task.search.history : 0;
  const history = await historyOf(deps, { researchId: research.id, limit });
  const notes = method.readsTrials
    ? await deps.store.research.findNotes({ researchId: research.id, limit: NOTES })
    : [];
  return { form: 'text', ...knobText({ task, knobs: task.knobs, prompt, history, notes }) };
}
