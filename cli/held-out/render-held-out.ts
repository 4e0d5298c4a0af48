import { formatValue, unitText } from '../../domain/text/format.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { plural } from '../../domain/text/plural.ts';
import type { HeldOut, HeldOutReport } from './score-held-out.ts';
import { columns } from '../render/text/text.ts';

/** `perpetua best --held-out` for people. */
export function renderHeldOut(
  { best, baseline, scored }: HeldOutReport,
  { metric, unit }: { metric: string; unit: string | null },
): string[] {
  const shown = ({ value, trialId, at, taskHash, isNew }: HeldOut): string =>
    `${formatValue(value)}${unitText(unit)}  the artefacts of ${trialId}, scored once, ` +
    `${isNew ? 'now' : at.toISOString()}, by task version ${taskHash.slice(0, 12)}`;
  const rows = [['held-out', shown(best)]];
  if (baseline !== null) rows.push(['unmodified', shown(baseline)]);
  rows.push(['metric', oneLine(metric)], ['candidate', best.candidateId]);
  if (scored > 1)
    rows.push(['note', `${plural(scored, 'candidate')} of this research have a held-out score: report all of them`]);
  return columns(rows);
}
