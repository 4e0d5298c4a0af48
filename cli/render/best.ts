import type { Best } from '../../db/reads/read-best.ts';
import { oneLine } from '../../domain/text/clean.ts';
import { describeTime } from '../../domain/view/rows/gain.ts';
import { statusRows } from '../../domain/view/rows.ts';
import { columns } from './text/text.ts';

/** `perpetua best` for people. */
export function renderBest(found: Best): string[] {
  const { best, gain, lead, baseline, metric, unit, phase } = found.status;
  const time = found.meanSeconds && describeTime(found.meanSeconds);
  const rows: string[][] = [
    ...statusRows({ best, gain, lead, baseline, metric, unit, phase }),
    ...(time === null ? [] : [['time', time]]),
    ['candidate', found.candidateId],
  ];
  if (found.hypothesis) rows.push(['hypothesis', oneLine(found.hypothesis)]);
  if (found.reason) rows.push(['reason', oneLine(found.reason)]);
  if (found.trialId && found.hypothesis)
    rows.push(['its edits', `npx perpetua diff ${found.trialId} (--against-baseline: all since the original)`]);
  return columns(rows);
}
