import { sd } from '../../statistics/series.ts';
import { upperQuantile } from '../../statistics/student-t.ts';
import { findSubject } from '../subject.ts';
import type { GateState } from '../types.ts';
import { show } from '../../text/format.ts';

/** Baseline runs before which nothing is said of a proposal. */
const LEAST = 3;
/** Share of the candidates no better and no worse than the baseline that are called plainly worse. */
const ERROR = 0.01;

/**
 * Why a result (oriented) is out although the baseline is not complete, in words; null where that has to be awaited. It
 * is below what one more baseline run would give in 99 of 100 cases (prediction limit of a normal sample of n: mean − t·sd·√(1 + 1/n)).
 */
export function plainlyWorse(state: GateState, value: number): string | null {
  const { calibrating, baselineId, sign } = state;
  const fresh = calibrating?.candidateId === baselineId ? findSubject(state, baselineId)?.fresh : undefined;
  if (!fresh || fresh.n < LEAST) return null;
  const spread = sd(fresh);
  if (spread === 0) return null;
  const limit = fresh.mean - upperQuantile(ERROR, fresh.n - 1) * spread * Math.sqrt(1 + 1 / fresh.n);
  if (value >= limit) return null;
  return `plainly worse than the ${fresh.n} baseline runs so far: one more of them would be ${sign === 1 ? 'above' : 'below'} ${show(limit * sign)} in 99 of 100 cases`;
}
