import type { Phase } from '../domain/research/phase.ts';
import { hasEnded } from './phase.ts';

/**
 * Whether who was shown the events of a research so far has seen its end. `phase` was read before them: the event that tells
 * of it may be held back for a moment, and a research that was started again goes on. One of 0.1 has no event of its end.
 */
export function hasEndedBy(phase: Phase | undefined, last: { data: unknown } | undefined): boolean {
  if (phase === undefined || !hasEnded(phase)) return false;
  return last === undefined || (last.data as { phase?: unknown } | null)?.phase === phase;
}
