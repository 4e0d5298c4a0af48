import type { Llm } from '../../infra/llm.ts';

/** The model endpoint and what it costs. */
export interface Models {
  /** Undefined where no model endpoint is configured. */
  llm: Llm | undefined;
  llmModel: string | undefined;
  /** USD of a call, null where the model has no configured price. */
  priceOf: (model: string, tokensIn: number | null, tokensOut: number | null) => number | null;
}
