import type { PolicyError } from '../../infra/policy.ts';

/** Recognises a policy error by its name: activities import only types of adapters, so `instanceof` is not possible. */
export const isPolicyError = (error: unknown): error is PolicyError =>
  error instanceof Error && error.name === 'PolicyError';
