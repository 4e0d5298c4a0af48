import { neighbourCorrelation } from '../statistics/neighbour-correlation.ts';
import { shape } from '../statistics/series.ts';
import { describeAgreement } from './claim/agreement.ts';
import { NOBODY } from './claim/calibrate.ts';
import { HEAVY } from './estimate/spread.ts';
import { isDeterministic } from './subject.ts';
import type { GateConfig, GateState } from './types.ts';
import type { KeepPolicyName } from '../search/keep.ts';
import { formatVerdictNumber } from '../text/format.ts';

/** Fewest baseline runs whose shape is judged. Of normal samples of 10 runs, 3 % exceed the bounds, also HEAVY. */
const LEAST_RUNS = 10;
const SKEWED = 1.35;
/** Correlation of neighbouring runs, in its standard errors. */
const ALIKE = 2.3;

/** The rule of claims while runs agree. */
const CLAIMS = {
  strict: 'Perpetua keeps every improvement larger than metric.minDelta on one run',
  'noise-gated': 'A claim waits until two more runs of its candidate and one of the best agree, too',
} as const satisfies Record<KeepPolicyName, string>;

/** Warnings about a task's noise, in whole sentences; empty if there are none. */
export function noiseWarnings({ policy }: Pick<GateConfig, 'policy'>, state: GateState): string[] {
  const found: string[] = [];
  const { values } = state.baseline;
  if (state.calibrating?.candidateId === NOBODY)
    found.push('the unmodified version gave no usable baseline: the first candidate that runs becomes the incumbent');
  // A claim states how many runs of its own candidate agree.
  const agreement = state.incumbentId === state.baselineId ? `${describeAgreement(state)}. ` : '';
  if (isDeterministic(state))
    found.push(
      `runs with different seeds give identical values, so Perpetua counts them as one run. ` +
        `${agreement}${CLAIMS[policy]} (docs/concepts/verdicts.md). ` +
        'If the task should depend on the seed, use PERPETUA_SEED',
    );
  if (values.length >= LEAST_RUNS) found.push(...shapeWarnings(values.map((value) => value * state.sign)));
  if (state.drifted > 2 && state.drifted > 0.15 * state.raced)
    found.push(
      `drift: in ${state.drifted} of ${state.raced} races, new runs of the incumbent differed from its old runs; ` +
        'do not compare results of different days',
    );
  return found;
}

/** Warnings about the shape of values, which are in the metric's own direction, since a skew has a direction. */
function shapeWarnings(values: readonly number[]): string[] {
  const found: string[] = [];
  const { skewness, kurtosis } = shape(values);
  const advice = 'a transform of the metric (e.g. its logarithm) or a mean of several seeds (repeats) finds more gains';
  if (Math.abs(skewness) > SKEWED)
    found.push(
      `the baseline's noise is skewed to the ${skewness > 0 ? 'right' : 'left'} ` +
        `(skewness ${formatVerdictNumber(skewness)} in ${values.length} runs): ${advice}`,
    );
  if (kurtosis > HEAVY)
    found.push(
      `the baseline's noise has heavy tails ` +
        `(excess kurtosis ${formatVerdictNumber(kurtosis)} in ${values.length} runs): ${advice}`,
    );
  const correlation = neighbourCorrelation(values);
  if (correlation > ALIKE / Math.sqrt(values.length))
    found.push(
      `neighbouring runs are correlated (${formatVerdictNumber(correlation)}): ` +
        'the machine drifts, and claims are less certain',
    );
  return found;
}
