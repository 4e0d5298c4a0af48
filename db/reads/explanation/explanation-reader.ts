import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';
import type { ResearchView } from '../read-research.ts';
import { readExplanation, type ResearchExplanation } from './read-explanation.ts';

/** Most candidates of an explanation on the page: 30 knobs then take 1.5 s of CPU, which the server spends at once. */
const MOST_ON_PAGE = 500;
/** Researches whose explanation is kept. */
const KEPT = 20;
/** An explanation is kept at least this many times as long as it took, so that it uses at most 5 % of a CPU. */
const PAUSE = 20;

export type ExplanationReader = (db: Tx, research: ResearchView) => Promise<ResearchExplanation>;

/**
 * Creates a reader for repeated reads. An explanation is computed again if the number of outcomes has changed and some
 * time has passed since the last one. `clock`: milliseconds.
 */
export function createExplanationReader(clock: () => number = () => performance.now()): ExplanationReader {
  const kept = new Map<string, { state: string; explanation: ResearchExplanation; until: number }>();
  return async (db, research) => {
    // Another database may have a research with the same id.
    const key = `${research.createdAt.toISOString()} ${research.taskHash} ${research.id}`;
    const state = await readState(db, research);
    const known = kept.get(key);
    if (known && (known.state === state || clock() < known.until)) return known.explanation;
    const from = clock();
    const explanation = await readExplanation(db, { research, most: MOST_ON_PAGE });
    const now = clock();
    kept.delete(key);
    kept.set(key, { state, explanation, until: now + PAUSE * (now - from) });
    for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old);
    return explanation;
  };
}

/** Numbers that change with each outcome of a candidate. */
async function readState(db: Tx, { id, taskHash }: ResearchView): Promise<string> {
  const { rows } = await db.execute<{ outcomes: number; runs: number }>(sql`
    select count(*)::int as outcomes, coalesce(sum(runs), 0)::int as runs from observations
    where research_id = ${id} and task_hash = ${taskHash} and seq is not null`);
  return `${rows[0]?.outcomes} ${rows[0]?.runs}`;
}
