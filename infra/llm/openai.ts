import type { Llm } from '../llm.ts';
import { createLlm, type LlmOptions } from './create-llm.ts';
import { COMPLETIONS, readBaseUrl } from './endpoint.ts';
import { bodyOf } from './form/form.ts';
import type { Wire } from './wire.ts';

/** OpenAI's Chat Completions, which many endpoints speak. */
const CHAT: Wire = {
  provider: 'openai',
  readUrl: readBaseUrl,
  pathOf: () => COMPLETIONS,
  headers: (key) => (key === null ? {} : { authorization: `Bearer ${key}` }),
  bodyOf,
  completionOf: (json) => json,
};

/** The models of any endpoint that speaks OpenAI's Chat Completions. Throws as {@link createLlm} does. */
export const createOpenAiLlm = (options: LlmOptions): Llm => createLlm(CHAT, options);
