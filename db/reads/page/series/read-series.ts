import {
  placeOnAxis,
  rawBest,
  type AxisSeries,
  type Dots,
  type RawBest,
} from '../../../../view/page/series/place-on-axis.ts';
import type { Axis } from '../../../../view/page/series/axis.ts';
import { thinDots } from '../../../../view/page/series/thin-dots.ts';
import { claimWithInterval, type WithInterval } from '../../../../view/page/research/interval.ts';
import { hasEnded } from '../../../../view/phase.ts';
import { standingOf } from '../../../../view/standing.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { claimKey, readOutdatedClaims } from '../outdated-claims.ts';
import { readClaims } from '../../status/read-claims.ts';
import { createTrialColumnsReader } from '../blocks/trial-columns.ts';
import { createTrialCostsReader } from '../blocks/trial-costs.ts';
import { readEnded, type EndedReaders } from './read-ended.ts';

/** Claims as steps along an axis. */
export interface ClaimSteps {
  x: number[];
  value: number[];
  low: (number | null)[];
  high: (number | null)[];
  n: (number | null)[];
  /** Numbers of runs behind the values. */
  runs: number[];
}

export interface SeriesView {
  x: Axis;
  dots: Dots;
  total: number;
  rawBest: RawBest;
  claims: ClaimSteps;
  baseline: { value: number; sd: number | null } | null;
  lead: { n: number | null; value: number; estimate: number | null } | null;
  optimum: number | null;
  end: number;
  startedAt: string;
}

interface Input {
  research: ResearchView;
  axis: Axis;
  /** Most dots; 0: all of them. */
  buckets: number;
  now: Date;
  /** Readers of a caller that reads repeatedly. */
  readers?: EndedReaders;
}

const newReaders = (): EndedReaders => ({
  readColumns: createTrialColumnsReader(),
  readCosts: createTrialCostsReader(),
});

/** A research as columns along an axis: its trials, the best run of a proposal, its claims. */
export async function readSeries(
  db: Tx,
  { research, axis, buckets, now, readers = newReaders() }: Input,
): Promise<SeriesView> {
  const { task, createdAt } = research;
  const ended = await readEnded(db, { research, axis }, readers);
  const along = placeOnAxis(ended, axis);
  const { baseline, lead } = standingOf(research);
  return {
    x: axis,
    dots: thinDots(along, buckets),
    total: ended.n.length,
    rawBest: rawBest(along, task.metric.direction),
    claims: await readSteps(db, research, along),
    baseline: baseline && { value: baseline.value, sd: baseline.sd },
    lead: lead && { n: lead.ofTrial, value: lead.value, estimate: lead.estimate },
    optimum: task.metric.optimum ?? null,
    end: endOf({ research, axis, along }, now),
    startedAt: createdAt.toISOString(),
  };
}

/** Last x; for a research that has not ended, the current x. */
function endOf({ research, axis, along }: Pick<Input, 'research' | 'axis'> & { along: AxisSeries }, now: Date): number {
  const last = along.x.at(-1) ?? 0;
  if (axis === 'time') {
    const age = (now.getTime() - research.createdAt.getTime()) / 1000;
    return hasEnded(research.phase) ? last : Math.max(last, age);
  }
  // Trials under way may have cost something already.
  const counted = { trial: last, slotSeconds: last, tokens: research.tokens, usd: research.usd };
  return Math.max(last, counted[axis]);
}

/**
 * Steps under the current metric: the unmodified version from the first trial on, then the claims when they were made.
 */
async function readSteps(db: Tx, research: ResearchView, { xAt, x: xs }: AxisSeries): Promise<ClaimSteps> {
  const steps: ClaimSteps = { x: [], value: [], low: [], high: [], n: [], runs: [] };
  const add = (x: number, trial: number | null, { value, n, low, high }: Omit<WithInterval, 'sd'>): void => {
    steps.x.push(x);
    steps.n.push(trial);
    steps.runs.push(n);
    steps.value.push(value);
    steps.low.push(low);
    steps.high.push(high);
  };
  const { baseline } = standingOf(research);
  const first = xs[0];
  if (baseline && first !== undefined) add(first, null, baseline);
  const { gate, createdAt } = research;
  const outdated = await readOutdatedClaims(db, research.id);
  const made = await readClaims(db, { researchId: research.id });
  for (const claim of made) {
    if (outdated.has(claimKey(research.id, claim.seq))) continue;
    const x = xAt((claim.at.getTime() - createdAt.getTime()) / 1000) ?? first ?? 0;
    add(x, claim.ofTrial, claimWithInterval(claim, { gate, isPresent: claim === made.at(-1) }));
  }
  return steps;
}
