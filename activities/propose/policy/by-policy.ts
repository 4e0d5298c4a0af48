import type { Research } from '../../../db/research/research.ts';
import { readKnobAnswer } from '../../../domain/edit/knob-answer.ts';
import type { PolicySettings } from '../../../domain/search/proposer/policy.ts';
import { applyDraw } from '../draw/apply-draw.ts';
import type { Proposal, ProposeContext } from '../propose-context.ts';
import { readAnswer } from '../read-answer.ts';
import { type Drawn, sampleOnce } from './sample-once.ts';

/**
 * Draws one sample of the policy, once, and reads it. An unusable sample is not drawn again: its reward teaches the
 * policy.
 */
export async function proposeByPolicy(
  context: ProposeContext,
  input: { research: Research; settings: unknown },
): Promise<Proposal> {
  const settings = input.settings as PolicySettings;
  const drawn = await sampleOnce(context, { research: input.research, settings });
  if ('rejected' in drawn) return { ok: false, failure: drawn.rejected };
  const read = readSample(context, drawn, settings);
  const { deps, trial } = context;
  if (!read.ok) await deps.store.call.saveUnused({ trialId: trial.id, turn: 0, why: read.failure.label });
  return read;
}

function readSample({ version, scope, files }: ProposeContext, drawn: Drawn, { answers }: PolicySettings): Proposal {
  const { text, finishReason } = drawn;
  if (answers === 'edits')
    return readAnswer({ text, finishReason, refusal: null, limit: 'search.proposer.maxTokens' }, files, scope);
  const read = readKnobAnswer(text, { knobs: version.task.knobs, files });
  if (read.ok) return applyDraw({ scope, files }, read);
  // The parent's values are a known candidate, whose outcome teaches the policy like any other.
  if (read.label === 'no-change')
    return { ok: true, proposed: { files, hypothesis: 'the values of the parent', expectedDelta: null, edits: [] } };
  return { ok: false, failure: { label: read.label, message: read.reason } };
}
