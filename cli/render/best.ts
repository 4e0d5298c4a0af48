import type { Best } from '../../db/reads/read-best.ts';
import type { ResearchView } from '../../db/reads/read-research.ts';
import { standingOf } from '../../db/reads/standing.ts';
import { describeBaseline, describeBest, describeLead, describeReport, describeTime } from './gain.ts';
import { unitOf } from './status.ts';
import { columns, oneLine } from './text.ts';

/** `perpetua best` for people. */
export function renderBest(best: Best, research: ResearchView): string[] {
  const unit = unitOf(research.task.metric);
  const lead = describeLead(best.status, unit);
  const time = best.meanSeconds && describeTime(best.meanSeconds);
  const rows: string[][] = [
    ['best', describeBest(best.status, unit)],
    ['gain', describeReport(standingOf(research).report, best.status.baseline?.sd ?? null)],
    ...(time === null ? [] : [['time', time]]),
    ...(lead === null ? [] : [['lead', lead]]),
    ['baseline', describeBaseline(best.status, unit)],
    ['candidate', best.candidateId],
  ];
  if (best.hypothesis) rows.push(['hypothesis', oneLine(best.hypothesis)]);
  if (best.reason) rows.push(['reason', oneLine(best.reason)]);
  if (best.trialId && best.hypothesis)
    rows.push(['its edits', `npx perpetua diff ${best.trialId} (--against-baseline: all since the original)`]);
  return columns(rows);
}
