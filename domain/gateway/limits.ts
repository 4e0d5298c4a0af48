import type { CallRole } from './call.ts';
import type { Budget } from '../schema/budget.ts';

/** Limits of one caller's calls for a trial; a missing limit does not apply. */
export interface CallLimits {
  calls?: number | undefined;
  /** Requests that may fail; default: as many as `calls`. */
  failures?: number | undefined;
  /** Tokens in and out. */
  tokens?: number | undefined;
  usd?: number | undefined;
}

/** Spend of a caller, or of a research. */
export interface CallSpend {
  calls: number;
  tokens: number;
  usd: number;
}

interface Facts {
  role: CallRole;
  /** True if the trial has an outcome. */
  hasEnded: boolean;
  /** Null if the request names no model. */
  model: string | null;
  /** True if the model has a price. */
  isPriced: boolean;
  limits: CallLimits;
  /** Spend of the caller in this trial; of an evaluator, in this scoring. */
  spent: CallSpend & {
    /** Requests that failed, without those that the endpoint refused as too many. */
    failed: number;
  };
  budget: Pick<Budget, 'tokens' | 'usd'>;
  /** Spend of the research. */
  researchSpent: Pick<CallSpend, 'tokens' | 'usd'>;
}

/** Sentence that refuses a call before it is sent; null: the call may be sent. */
export function refuseCall(facts: Facts): string | null {
  if (facts.hasEnded) return 'the trial has its outcome: no further call is sent for it';
  return refuseByLimit(facts) ?? refuseByBudget(facts) ?? refuseByPrice(facts);
}

function refuseByLimit({ role, limits, spent }: Facts): string | null {
  const whose = role === 'evaluator' ? "this scoring's" : "this trial's";
  const key = (['calls', 'tokens', 'usd'] as const).find((one) => isSpent(spent[one], limits[one]));
  if (key === undefined) {
    if (!isSpent(spent.failed, limits.failures ?? limits.calls)) return null;
    return `the limit of ${whose} model calls is spent: ${spent.failed} requests failed`;
  }
  return `the limit of ${whose} model calls is spent: ${round(spent[key])} of ${limits[key]} ${NAMES[key]}`;
}

const NAMES = { calls: 'calls', tokens: 'tokens', usd: 'USD' } as const;

/** A run under way always gets its score, so that a spent budget refuses no call of an evaluator. */
function refuseByBudget({ role, budget, researchSpent }: Facts): string | null {
  if (role === 'evaluator') return null;
  const key = (['tokens', 'usd'] as const).find((one) => isSpent(researchSpent[one], budget[one]));
  if (key === undefined) return null;
  return `the budget of the research is spent: budget.${key} is ${round(researchSpent[key])} of ${budget[key]}`;
}

/** Without a price nothing would be charged, and a limit of money would never be reached. */
function refuseByPrice({ model, isPriced, limits, budget }: Facts): string | null {
  if (isPriced || (budget.usd === undefined && limits.usd === undefined)) return null;
  const key = budget.usd === undefined ? 'the limit in USD' : 'budget.usd';
  if (model === null) return `${key}: expected a request that names its model, so that it has a price; got none`;
  return (
    `${key}: expected a price for ${model}, found none; ` +
    `set PERPETUA_PRICES, for example {"${model}": {"input": 0.25, "output": 2}}`
  );
}

/**
 * Calls of one caller that may be under way at once if tokens or money are limited: what a call costs is known after
 * its answer, so that limits are exceeded by these calls at most. Graders ask about many cases at once.
 */
const MOST_UNDER_WAY: Readonly<Record<CallRole, number>> = { proposer: 4, evaluator: 16 };

/** True if a caller's next call waits until one of those under way has its answer. */
export function mustWait(
  { role, limits, budget }: Pick<Facts, 'role' | 'limits' | 'budget'>,
  underWay: number,
): boolean {
  const applied = role === 'evaluator' ? [limits] : [limits, budget];
  const isLimited = applied.some(({ tokens, usd }) => tokens !== undefined || usd !== undefined);
  return isLimited && underWay >= MOST_UNDER_WAY[role];
}

const isSpent = (spent: number, limit: number | undefined): boolean => limit !== undefined && spent >= limit;

const round = (value: number): number => Math.round(value * 1000) / 1000;
