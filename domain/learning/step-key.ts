import type { UpdatePlan } from '../search/update.ts';
import { type Adjustments, adjusted } from './adjust.ts';

export interface StepKeyInput {
  /** The parent checkpoint's hash; null: the base as it is. */
  parent: string | null;
  /** The base's hash. */
  base: string;
  /** Ids of the trials, in the order of the batch. */
  trials: readonly string[];
  plan: UpdatePlan;
  adjustments: Adjustments;
}

/** The text of which a step's key is the SHA-256: equal inputs give equal text, whatever the order of their keys. */
export function stepKeyContent({ parent, base, trials, plan, adjustments }: StepKeyInput): string {
  const { microBatch, maxTokens, adapter } = plan;
  const settings = { ...adjusted(plan, adjustments), adapter, limits: { maxTokens, microBatch } };
  return JSON.stringify(inOrder({ version: 1, parent, base, trials, settings }));
}

/** A value of JSON with the keys of its objects in one order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}
