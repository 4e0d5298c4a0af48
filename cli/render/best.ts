import type { Best } from '../../db/reads/read-best.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { statusRows } from '../../view/rows.ts';
import { columns } from './text/text.ts';

/** `perpetua best` for people. */
export function renderBest(found: Best): string[] {
  const { best, gain, compute, lead, baseline, metric, unit, phase } = found.status;
  const rows: string[][] = [
    ...statusRows({ best, gain, compute, lead, baseline, metric, unit, phase }),
    ['candidate', found.candidateId],
  ];
  if (found.hypothesis) rows.push(['hypothesis', oneLine(found.hypothesis)]);
  if (found.reason) rows.push(['reason', oneLine(found.reason)]);
  if (found.trialId && found.hypothesis)
    rows.push(['its edits', `npx perpetua diff ${found.trialId} (--against-baseline: all since the original)`]);
  const lines = columns(rows);
  return found.claimed ? lines : ['This is the lead: where the search stands. It is no claim yet.', ...lines];
}
