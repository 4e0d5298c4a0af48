import type { PolicyError } from '../../infra/policy.ts';

/** By its name: of an adapter only types are known here. */
export const isPolicyError = (error: unknown): error is PolicyError =>
  error instanceof Error && error.name === 'PolicyError';
