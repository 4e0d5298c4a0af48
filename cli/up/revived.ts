import type { Phase } from '../../domain/research/phase.ts';

/** That a research which had ended was started again with the stack, and how to have it left alone; null of any other. */
export function revived(before: { phase: Phase; reason: string | null } | undefined): string | null {
  if (before?.phase !== 'stopped' && before?.phase !== 'failed') return null;
  const why = before.reason === null ? '' : `: ${before.reason.slice(0, 200)}`;
  return `it had ended (${before.phase}${why}), and npm start started it again; npm start -- --no-demo starts none`;
}
