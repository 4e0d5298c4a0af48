import type { FailureLabel } from '../trial.ts';

/** The last call of an agent's run. */
export interface LastCall {
  /** Null: it was answered, or its worker died before an answer came. */
  error: string | null;
  /** HTTP status of the endpoint; null: it was not reached. */
  status: number | null;
  /** True if the call asked the model that the research asks for. An agent may name any other model. */
  isOfAskedModel: boolean;
}

/** HTTP statuses about the key, the credit or the rate. Statuses from 500 on are failures of the endpoint. */
const ABOUT_THE_ENDPOINT: readonly number[] = [401, 402, 408, 429];
/** HTTP statuses about the right to a model, or a model that is missing. An agent causes them by a model's name. */
const ABOUT_THE_MODEL: readonly number[] = [403, 404];

/** Outages of one trial during which the endpoint answered others, or this agent, after which the trial ends. */
export const MOST_SERVED_OUTAGES = 5;

/**
 * Why an endpoint did not serve the last call of an agent: it cannot be reached, has no credit left, refuses the key,
 * or fails. Null if it served it, if the error concerns the request alone, or if the agent made no call.
 */
export function outageOf(last: LastCall | null): string | null {
  if (last === null || last.error === null) return null;
  const { error, status, isOfAskedModel } = last;
  if (status === null || status >= 500 || ABOUT_THE_ENDPOINT.includes(status)) return error;
  return isOfAskedModel && ABOUT_THE_MODEL.includes(status) ? error : null;
}

/** True if an agent that failed by this label changed no file. Else it worked, even if its change is refused. */
export const changedNothing = (label: FailureLabel): boolean => ['no-change', 'proposer-failed'].includes(label);
