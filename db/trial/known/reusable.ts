import { sql } from 'drizzle-orm';
import { BY_PERSON } from '../../../domain/gate/claim/override.ts';
import type { EncodedNumber } from '../../../domain/json/number.ts';
import type { Platform } from '../../../domain/search/known/reuse.ts';
import type { Tx } from '../../connect.ts';
import { inSearch } from '../in-search.ts';

/** Distinct platforms of the scored runs of a research under a task version. */
export async function findPlatforms(
  db: Tx,
  { researchId, taskHash }: { researchId: string; taskHash: string },
): Promise<Platform[]> {
  const { rows } = await db.execute<Platform & Record<string, unknown>>(sql`
    select distinct runs.hardware, runs.environment, trials.trusted
    from trials left join runs on runs.trial_id = trials.id and runs.placement = trials.placement
    where trials.research_id = ${researchId} and trials.task_hash = ${taskHash} and ${inSearch(sql`trials.kind`)}
      and trials.status = 'completed' and trials.reused_from is null`);
  return rows;
}

/** A value that another research measured. */
export interface Reusable {
  trialId: string;
  value: number;
  metrics: Record<string, EncodedNumber> | null;
}

/**
 * The first value of a candidate that a search of another research measured under a task version on a platform. The
 * evaluator scored it, the candidate could not have written it, the machine did not disturb its run, and no person has
 * overridden its verdict or taken its reward back. Researches of `check`, `attack` and `policy eval` give none.
 */
export async function findReusable(
  db: Tx,
  input: { researchId: string; candidateId: string; taskHash: string; hardware: string; environment: string },
): Promise<Reusable | undefined> {
  const { rows } = await db.execute<Reusable & Record<string, unknown>>(sql`
    select trials.id as "trialId", trials.value, trials.metrics
    from trials
    join runs on runs.trial_id = trials.id and runs.placement = trials.placement
    join researches on researches.id = trials.research_id
    where trials.candidate_id = ${input.candidateId} and trials.task_hash = ${input.taskHash}
      and trials.research_id <> ${input.researchId}
      and trials.research_id not like all (array['check/%', 'attack/%', 'eval/%'])
      and coalesce(researches.gate_config->>'measuresOnly', 'false') = 'false'
      and trials.kind = 'search' and trials.status = 'completed' and trials.failure is null
      and trials.value is not null and trials.trusted and trials.artefact_code is null
      and trials.reused_from is null
      and trials.reward_parts->'taken' is null
      and not starts_with(coalesce(trials.reason, ''), ${BY_PERSON})
      and runs.hardware = ${input.hardware} and runs.environment = ${input.environment}
      and runs."end" is not null and runs.stop is null and runs.shortage is null and runs.contention is null
    order by trials.ended_at, trials.id limit 1`);
  return rows[0];
}
