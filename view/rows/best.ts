import { formatDigits, formatResult, formatSigned, unitText } from '../../domain/text/format.ts';
import { describeCompute } from './compute.ts';
import type { StatusPart, StatusView } from '../status.ts';
import { describeTrust } from '../verdict.ts';

/** The best in words: its value, its trial, and the gain in sd of one run where a baseline and the metric's direction are known. */
export function describeBest(part: Pick<StatusPart, 'best' | 'baseline' | 'metric' | 'unit' | 'compute'>): string {
  const { best, baseline = null, metric, unit } = part;
  if (!best) return 'not measured yet';
  const value = `${formatResult(best.value, baseline?.sd)}${unitText(unit)}${describeTrust(best)}`;
  const left = metric ? describeDistance({ best, baseline, metric }) : '';
  if (best.unmodified) return `${value}  the baseline, so far${left}`;
  const bought = describeCompute(part.compute);
  const gain = [metric && baseline && `gain ${describeGain({ best, baseline, metric })}`, bought && `with ${bought}`]
    .filter(Boolean)
    .join(', ');
  return `${value}  ${best.trialId ?? best.candidateId.slice(0, 12)}${gain && ` · ${gain}`}${left}`;
}

type Known = { [K in 'best' | 'baseline' | 'metric']: NonNullable<StatusView[K]> };

/** How much better it is than the baseline; positive is better whatever the direction. */
function describeGain({ best, baseline, metric }: Known): string {
  const gain = metric.direction === 'minimize' ? baseline.value - best.value : best.value - baseline.value;
  const sds = baseline.sd !== null && baseline.sd > 0 ? ` = ${inSds(gain / baseline.sd)} of one run` : '';
  return `${formatSigned(gain, baseline.sd)}${sds}`;
}

const inSds = (gain: number): string => `${gain > 0 ? '+' : ''}${formatDigits(gain)} sd`;

/** How far the best is from the best possible value; nothing where that is not known. */
function describeDistance({
  best,
  baseline,
  metric,
}: Pick<Known, 'best' | 'metric'> & Pick<StatusView, 'baseline'>): string {
  if (metric.optimum === null) return '';
  const side = metric.direction === 'minimize' ? 'above' : 'below';
  return ` · ${formatResult(Math.abs(best.value - metric.optimum), baseline?.sd)} ${side} the optimum`;
}
