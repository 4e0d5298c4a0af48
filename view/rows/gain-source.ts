import { RUNS_AFTER_CLAIM } from '../../domain/gate/estimate/runs-after-claim.ts';
import type { GainReport } from '../../domain/gate/gate.ts';
import { formatDigits } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

type Claim = NonNullable<GainReport['claim']>;

/** Factor from which a text mentions that correlated runs widen an interval. */
const MENTIONED = 1.5;

/** Describes the runs behind a claim's value and its interval, as a clause that follows them. */
export function describeSource(claim: Claim): string {
  const runs = describeRuns(claim);
  if (claim.widened < MENTIONED || claim.high <= claim.low) return runs;
  return `${runs}; runs are correlated, so the interval is ${formatDigits(claim.widened)} times as wide`;
}

function describeRuns({ source, runs, after, corrected }: Claim): string {
  if (source === 'person' && after >= RUNS_AFTER_CLAIM) return `from ${plural(runs, 'run')} after a person's claim`;
  if (source === 'person') return 'as measured: a person made this claim';
  if (source === 'measured') return 'as measured';
  if (source === 'after') return `${corrected ? 'corrected by' : 'from'} ${plural(runs, 'run')} after the claim`;
  const added = after === 0 ? 'no runs were' : `only ${after} of ${RUNS_AFTER_CLAIM} runs were`;
  // The runs may include those of later races, in which nothing tells them apart from the runs that won.
  return `from ${plural(runs, 'run')}, those that won the claim among them, probably too high: ${added} added after it`;
}
