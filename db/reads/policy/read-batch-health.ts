import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../domain/json/number.ts';
import type { Tx } from '../../connect.ts';

/** Shares of the samples of a batch, 0 to 1. A lost trial is in none of them. */
export interface BatchShares {
  /** Its candidate is new: no earlier trial of the research has it. */
  fresh: number;
  /** Its answer could be read, and the proposal was accepted: `fresh` + `known`. */
  legal: number;
  /** An earlier trial has its candidate, whether it ran again or not. */
  known: number;
  /** Its answer could not be read, or the proposal was rejected before a run. */
  refused: number;
}

/** Kinds of trials that make a candidate known: proposals, and the unmodified version. */
const SHOWN_KINDS = sql`('search', 'injected', 'baseline')`;

interface Batch {
  trialIds: readonly string[];
}

/** Shares of a batch; null for an empty batch. */
export async function readBatchShares(db: Tx, { trialIds }: Batch): Promise<BatchShares | null> {
  const { rows } = await db.execute<Record<'fresh' | 'known' | 'refused', number | null>>(sql`
    with sample as (
      select t.status = 'rejected' as refused, t.status in ('rejected', 'lost') as without, exists (
        select 1 from trials earlier where earlier.research_id = t.research_id
          and earlier.candidate_id = t.candidate_id and earlier.n < t.n and earlier.kind in ${SHOWN_KINDS}) as copies
      from trials t where t.id in (select jsonb_array_elements_text(${JSON.stringify(trialIds)}::jsonb)))
    select avg((not without and not copies)::int)::float8 as fresh,
      avg((not without and copies)::int)::float8 as known, avg(refused::int)::float8 as refused
    from sample`);
  const { fresh = null, known = null, refused = null } = rows[0] ?? {};
  if (fresh === null || known === null || refused === null) return null;
  return { fresh, legal: fresh + known, known, refused };
}

/** −log p in nats of the tokens at one place of the answers. */
export interface TokenPlace {
  /** Place of the token in the answer, from 1. */
  place: number;
  /** Samples that have a token at this place. */
  samples: number;
  mean: number | null;
  least: number | null;
  most: number | null;
}

/** Most places of an answer; those of knobs are shorter. */
const PLACES = 64;

/** −log p by place of the answer over a batch, from the log-probabilities that the sampler stored. */
export async function readTokenPlaces(db: Tx, { trialIds }: Batch): Promise<TokenPlace[]> {
  const { rows } = await db.execute<TokenPlace & Record<string, unknown>>(sql`
    select token.place::int as place, count(*)::int as samples, avg(-token.logprob) as mean,
      min(-token.logprob) as least, max(-token.logprob) as most
    from rollouts r cross join lateral unnest(r.logprobs[1:${PLACES}::int]) with ordinality token(logprob, place)
    where r.trial_id in (select jsonb_array_elements_text(${JSON.stringify(trialIds)}::jsonb))
    group by token.place order by token.place`);
  return rows.map((row) => ({
    ...row,
    mean: finiteOrNull(row.mean),
    least: finiteOrNull(row.least),
    most: finiteOrNull(row.most),
  }));
}
