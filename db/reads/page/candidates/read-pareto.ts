import { sql } from 'drizzle-orm';
import { paretoFront } from '../../../../domain/statistics/pareto-front.ts';
import type { CandidateNumber, CandidateRange } from '../../../../view/page/candidate-columns.ts';
import { spreadEvenly, thinPoints } from '../../../../view/page/thin-points.ts';
import { standingOf } from '../../../../view/standing.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { readCandidateValues } from './read-candidate-values.ts';

type Direction = 'minimize' | 'maximize';

/** A candidate by the number of its trial. */
export interface Place {
  n: number;
  x: number;
  y: number;
}

export interface ParetoPoints {
  front: (Place & { idea: string | null })[];
  frontTotal: number;
  rest: { n: number[]; x: number[]; y: number[] };
  claim: Place | null;
  total: number;
  without: number;
}

export interface ParetoInput {
  x: { number: CandidateNumber; better: Direction };
  y: { number: CandidateNumber; better: Direction };
  ranges: readonly CandidateRange[];
}

/** Points of the front that are returned, and characters of an idea. */
const FRONT = 300;
const IDEA = 120;

/**
 * Candidates by two numbers, with the front of those that no other one dominates. The other candidates are thinned by
 * `thinPoints`, except for the claimed one. A candidate that lacks a number is only counted.
 */
export async function readPareto(db: Tx, research: ResearchView, { x, y, ranges }: ParetoInput): Promise<ParetoPoints> {
  const { n, values } = await readCandidateValues(db, research, { numbers: [x.number, y.number], ranges });
  const places = n.flatMap((number, at): Place[] => {
    const [ofX = null, ofY = null] = [values[0]?.[at], values[1]?.[at]];
    return ofX === null || ofY === null ? [] : [{ n: number, x: ofX, y: ofY }];
  });
  places.sort((a, b) => a.n - b.n);
  const indices = paretoFront(
    { x: places.map((place) => place.x), y: places.map((place) => place.y) },
    { x: x.better, y: y.better },
  );
  const isInFront = new Set(indices);
  const front = indices.flatMap((index) => places[index] ?? []).sort((a, b) => a.x - b.x || a.n - b.n);
  const shown = spreadEvenly(front, FRONT);
  const others = places.filter((_, index) => !isInFront.has(index));
  const kept = thinPoints({ x: others.map((place) => place.x), y: others.map((place) => place.y) });
  const rest = kept.flatMap((index) => others[index] ?? []);
  const claimed = await readClaimedTrial(db, research);
  const ideas = await readIdeas(
    db,
    research.id,
    shown.map((place) => place.n),
  );
  return {
    front: shown.map((place) => ({ ...place, idea: ideas.get(place.n) ?? null })),
    frontTotal: front.length,
    rest: { n: rest.map((place) => place.n), x: rest.map((place) => place.x), y: rest.map((place) => place.y) },
    claim: places.find((place) => place.n === claimed) ?? null,
    total: places.length,
    without: n.length - places.length,
  };
}

/** Number of the trial that stands for the claimed candidate; null without a claim. */
async function readClaimedTrial(db: Tx, research: ResearchView): Promise<number | null> {
  const { claim } = standingOf(research);
  if (claim === null) return null;
  const { rows } = await db.execute<{ n: number | null }>(sql`
    select coalesce(min(n) filter (where kind in ('search', 'injected')), min(n)) as n
    from trials where research_id = ${research.id} and candidate_id = ${claim.candidateId}`);
  return rows[0]?.n ?? null;
}

async function readIdeas(db: Tx, id: string, numbers: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.execute<{ n: number; idea: string }>(sql`
    select n, left(hypothesis, ${IDEA}::int) as idea from trials
    where research_id = ${id} and hypothesis is not null
      and n = any(string_to_array(${numbers.join(',')}, ',')::int[])`);
  return new Map(rows.map(({ n, idea }) => [n, idea]));
}
