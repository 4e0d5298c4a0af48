import { formatDigits, formatResult, formatSigned, unitText } from '../../domain/text/format.ts';
import { describeCompute } from './compute.ts';
import type { StatusPart, StatusView } from '../status.ts';
import { describeOutside, describeTrust } from '../trial/verdict.ts';

/** Describes the best: its value, its trial, and its gain if a baseline and the metric are known. */
export function describeBest(part: Pick<StatusPart, 'best' | 'baseline' | 'metric' | 'unit' | 'compute'>): string {
  const { best, baseline = null, metric, unit } = part;
  if (!best) return 'not measured yet';
  const value = `${formatResult(best.value, baseline?.sd)}${unitText(unit)}${describeTrust(best)}`;
  const outside = best.outside === undefined ? '' : ` ·${describeOutside(best)}`;
  const distance = metric ? describeDistance({ best, baseline, metric }) : '';
  if (best.unmodified) return `${value}  the baseline, so far${distance}${outside}`;
  const compute = describeCompute(part.compute);
  const gain = [metric && baseline && `gain ${describeGain({ best, baseline, metric })}`, compute && `with ${compute}`]
    .filter(Boolean)
    .join(', ');
  return `${value}  ${best.trialId ?? best.candidateId.slice(0, 12)}${gain && ` · ${gain}`}${distance}${outside}`;
}

type Known = { [K in 'best' | 'baseline' | 'metric']: NonNullable<StatusView[K]> };

/** Describes the gain over the baseline, positive if better, also in sd of one run if the noise is known. */
function describeGain({ best, baseline, metric }: Known): string {
  const gain = metric.direction === 'minimize' ? baseline.value - best.value : best.value - baseline.value;
  const sds = baseline.sd !== null && baseline.sd > 0 ? ` = ${inSds(gain / baseline.sd)} of one run` : '';
  return `${formatSigned(gain, baseline.sd)}${sds}`;
}

const inSds = (gain: number): string => `${gain > 0 ? '+' : ''}${formatDigits(gain)} sd`;

/** Describes the distance from the best possible value; empty if that is unknown. */
function describeDistance({
  best,
  baseline,
  metric,
}: Pick<Known, 'best' | 'metric'> & Pick<StatusView, 'baseline'>): string {
  if (metric.optimum === null) return '';
  const side = metric.direction === 'minimize' ? 'above' : 'below';
  return ` · ${formatResult(Math.abs(best.value - metric.optimum), baseline?.sd)} ${side} the optimum`;
}
