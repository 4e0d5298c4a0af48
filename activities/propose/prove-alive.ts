import type { Llm, LlmAnswer, LlmRequest } from '../../infra/llm.ts';
import type { ProposeContext } from './propose-context.ts';

/**
 * How often a prompt may receive an answer that is no completion and reports no error. The last of them counts as the
 * answer to the prompt, if the endpoint answered another prompt before it.
 */
const MOST_NOTHINGS = 5;

const PROBE = 'Answer with the word "ready".';
/** Tokens of the probe's answer; some of them go into a model's thoughts. */
const PROBE_TOKENS = 64;

export interface Alive {
  /** True if another answer without a completion is the answer to the prompt. */
  isLast: boolean;
  /** Answer to a probe, which was paid for; null if none was sent. */
  probe: LlmAnswer | null;
}

/**
 * Before the last try of a turn that received nothing, requires that the endpoint answers another prompt: one of
 * another trial since the turn was sent, or else a probe of one line. Throws the probe's LlmError.
 */
export async function proveAlive(
  { deps, trial, signal }: ProposeContext,
  { turn, request, llm }: { turn: number; request: LlmRequest; llm: Llm },
): Promise<Alive> {
  const key = { trialId: trial.id, turn, window: request.deadlineSeconds };
  const { times, othersAnswered } = await deps.store.call.readNothings(key);
  if (times < MOST_NOTHINGS - 1) return { isLast: false, probe: null };
  if (othersAnswered) return { isLast: true, probe: null };
  const messages: LlmRequest['messages'] = [{ role: 'user', content: PROBE }];
  const probe = { ...request, messages, maxTokens: Math.min(PROBE_TOKENS, request.maxTokens) };
  return { isLast: true, probe: await llm.complete(probe, signal) };
}
