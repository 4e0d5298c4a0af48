import { plural } from '../../domain/text/plural.ts';
import { formatResult, formatValue, unitText } from '../../domain/text/format.ts';
import type { StatusPart } from '../status.ts';
import { describeTrust } from '../trial/verdict.ts';

/** Describes the baseline: its mean, the noise of one run, and the number of runs. */
export function describeBaseline(part: Pick<StatusPart, 'best' | 'baseline' | 'unit'>): string {
  const { baseline, unit } = part;
  if (lacksBaseline(part)) return 'none: no run of the unmodified workspace gave a value';
  if (!baseline) return 'not measured yet';
  const value = `${formatResult(baseline.value, baseline.sd)}${unitText(unit)}${describeTrust(baseline)}`;
  return `${value}  sd of one run ${formatValue(baseline.sd)} (${plural(baseline.n, 'run')})`;
}

/** True if a candidate is the best although the unmodified workspace has no value, so that the gain is unknown. */
export const lacksBaseline = ({ best, baseline }: Pick<StatusPart, 'best' | 'baseline'>): boolean =>
  !!best && !best.unmodified && !baseline;
