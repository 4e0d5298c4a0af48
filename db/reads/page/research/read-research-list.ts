import { asc, sql } from 'drizzle-orm';
import { isCheck } from '../../../../domain/research/check-id.ts';
import { phaseWith, type Waiting } from '../../../../view/phase.ts';
import { intervalOf, type WithInterval } from '../../../../view/page/research/interval.ts';
import { standingOf } from '../../../../view/standing.ts';
import type { Tx } from '../../../connect.ts';
import { claims } from '../../../schema.ts';
import { readResearches, type Damaged, type ResearchView } from '../../read-research.ts';
import { readWaits } from '../../status/read-wait.ts';
import { claimKey, readOutdatedClaims } from '../outdated-claims.ts';
import { metricView, type MetricView } from './metric-view.ts';

/** A research as a row of a list. */
export interface ResearchLine {
  id: string;
  task: string;
  proposer: string;
  phase: string;
  reason: string | null;
  metric: MetricView;
  /** Null until it is measured. */
  baseline: WithInterval | null;
  best: WithInterval | null;
  /** Gain of the claim; null if nothing is claimed. */
  gain: { value: number; low: number | null; high: number | null } | null;
  trials: { ended: number; running: number };
  spend: { usd: number; tokens: number; slotSeconds: number };
  /** Baseline, then the claims at the numbers of the trials that they confirm. */
  spark: { n: number[]; value: number[] };
  createdAt: string;
  updatedAt: string;
}

export interface ResearchList {
  lines: ResearchLine[];
  /** Researches behind the lines, without checks. */
  researches: ResearchView[];
  damaged: Damaged[];
}

/** Every research except checks: those under way first, then the last changed first. */
export async function readResearchList(db: Tx): Promise<ResearchList> {
  const { sound, damaged } = await readResearches(db);
  const researches = sound.filter(({ id }) => !isCheck(id));
  const [waits, open, made] = [await readWaits(db), await readOpen(db), await readClaimed(db)];
  const lines = researches.map((research) =>
    lineOf(research, {
      waiting: waits.get(research.id) ?? { wait: null, othersGetOn: false },
      running: open.get(research.id) ?? 0,
      made: made.get(research.id) ?? [],
    }),
  );
  const order = (line: ResearchLine): string =>
    `${line.phase === 'stopped' || line.phase === 'failed' ? 0 : 1}${line.updatedAt}`;
  return { lines: lines.sort((a, b) => (order(a) < order(b) ? 1 : -1)), researches, damaged };
}

interface Facts {
  waiting: Waiting;
  running: number;
  made: Claimed[];
}

function lineOf(research: ResearchView, { waiting, running, made }: Facts): ResearchLine {
  const { id, task, proposer, usd, tokens, slotSeconds, createdAt, updatedAt, lastN } = research;
  const { baseline, claim, report } = standingOf(research);
  const first = baseline && { ofTrial: null, value: baseline.value };
  const steps = first ? [first, ...made] : made;
  return {
    id,
    task: task.name,
    proposer,
    ...phaseWith(research, waiting),
    metric: metricView(task),
    baseline: baseline && intervalOf(baseline),
    best: claim && intervalOf(claim),
    gain: gainOf(report),
    // A trial's number is given out with its row.
    trials: { ended: lastN - running, running },
    spend: { usd, tokens, slotSeconds },
    spark: { n: numbersOf(steps), value: steps.map(({ value }) => value) },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function gainOf({ claim }: ReturnType<typeof standingOf>['report']): ResearchLine['gain'] {
  if (claim === null || claim.gain === 0) return null;
  const { gain, low, high } = claim;
  return high > low ? { value: gain, low, high } : { value: gain, low: null, high: null };
}

/**
 * Numbers of the steps. A claim that went back to the unmodified version has no trial: it takes the number before it.
 */
function numbersOf(steps: readonly Claimed[]): number[] {
  let last = 1;
  return steps.map(({ ofTrial }) => (last = Math.max(last, ofTrial ?? last)));
}

type Claimed = { ofTrial: number | null; value: number };

/** Numbers of trials under way, by research. */
async function readOpen(db: Tx): Promise<Map<string, number>> {
  const { rows } = await db.execute<{ id: string; running: number }>(
    sql`select research_id as id, count(*)::int as running from trials where status is null group by 1`,
  );
  return new Map(rows.map(({ id, running }) => [id, running]));
}

/** Claims under the current metric of each research, by research. */
async function readClaimed(db: Tx): Promise<Map<string, Claimed[]>> {
  const { researchId, ofTrial, value, seq } = claims;
  const outdated = await readOutdatedClaims(db);
  const made = new Map<string, Claimed[]>();
  for (const { researchId: id, seq: nth, ...claim } of await db
    .select({ researchId, seq, ofTrial, value })
    .from(claims)
    .orderBy(asc(seq)))
    if (!outdated.has(claimKey(id, nth))) made.set(id, [...(made.get(id) ?? []), claim]);
  return made;
}

/** Seconds for which an open transaction has held back the newest events; 0 if none does. */
export async function readEventLag(db: Tx, now: Date): Promise<number> {
  const { rows } = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from ${now.toISOString()}::timestamptz - min(at))::float8 as seconds
    from events where xid >= pg_snapshot_xmin(pg_current_snapshot())`);
  return Math.max(0, rows[0]?.seconds ?? 0);
}
