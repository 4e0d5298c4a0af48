import type { Llm } from '../../infra/llm.ts';

/** Models that propose, and what they cost. */
export interface Models {
  /** Undefined where no model endpoint is configured. */
  llm: Llm | undefined;
  llmModel: string | undefined;
  /** Whether this worker can sample a policy. */
  hasTrainer: () => boolean;
  /** Whether a policy can learn by it. */
  canLearn: () => boolean;
  /** USD of a call, null where the model has no configured price. */
  priceOf: (model: string, tokensIn: number | null, tokensOut: number | null) => number | null;
}
