import { plural } from '../../text/plural.ts';
import { formatResult, formatValue, unitText } from '../../text/format.ts';
import type { StatusPart } from '../status.ts';
import { describeTrust } from '../verdict.ts';

/** The baseline in words: its mean, the noise of one run, how many runs. */
export function describeBaseline({ baseline, unit }: Pick<StatusPart, 'baseline' | 'unit'>): string {
  if (!baseline) return 'not measured yet';
  const value = `${formatResult(baseline.value, baseline.sd)}${unitText(unit)}${describeTrust(baseline)}`;
  return `${value}  sd of one run ${formatValue(baseline.sd)} (${plural(baseline.n, 'run')})`;
}
