import { plural } from '../domain/text/plural.ts';
import { nothingButFailures } from '../domain/research/losing-streak.ts';
import type { TrialStatus } from '../domain/trial.ts';
import { describeCounts } from '../view/trials.ts';

/** Describes why a research ended badly; null if it ended well, or has not ended. */
export function describeFailedResearch(research: {
  id: string;
  phase: string;
  byStatus: Readonly<Record<TrialStatus, number>>;
}): string | null {
  const { id, phase, byStatus } = research;
  if (phase === 'failed') return `${id} failed. To see why: npx perpetua status ${id}`;
  const failed = phase === 'stopped' ? nothingButFailures(byStatus) : null;
  if (failed === null) return null;
  const counts = describeCounts({ ...byStatus, cached: 0 });
  return (
    `${id} ended without a success: ${plural(failed, 'trial')} failed (${counts}). ` +
    `To see them: npx perpetua log ${id}`
  );
}
