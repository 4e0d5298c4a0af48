import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../domain/json/number.ts';
import { type EvaluatedTrial, summarizeEvaluation } from '../../../domain/learning/evaluation/summarize-evaluation.ts';
import { evaluationId } from '../../../domain/research/check-id.ts';
import type { EvaluatedVersion, EvaluationSource } from '../../../view/policy/evaluated.ts';
import type { Tx } from '../../connect.ts';

interface Row extends Record<string, unknown>, Pick<EvaluatedTrial, 'status' | 'failure' | 'value'> {
  version: number;
  source: EvaluationSource;
}

/**
 * Versions of a research's policy that were evaluated on a task version, in order. `start`: weights of version 0, as
 * `startOf` returns them. An evaluation of other weights, from a deleted research of the same id, does not count.
 */
export async function readEvaluatedVersions(
  db: Tx,
  { researchId, taskHash, start }: { researchId: string; taskHash: string; start: string | null },
): Promise<EvaluatedVersion[]> {
  const prefix = evaluationId({ policy: researchId, key: 'v' });
  const { rows } = await db.execute<Row>(sql`
    with weights as (
      select k as version, checkpoint as hash from updates where research_id = ${researchId} and checkpoint is not null
      union all select 0, ${start}::text),
    apart as (
      select r.id, split_part(substr(r.id, length(${prefix}) + 1), '-', 1)::int as version,
        coalesce(b.checkpoint, b.model, r.settings #>> '{search,proposer,base}') as hash
      from researches r left join policy_bases b on b.research_id = r.id
      where starts_with(r.id, ${prefix}) and substr(r.id, length(${prefix}) + 1) ~ '^[0-9]{1,9}-[0-9a-f]+$'
        and r.task_hash = ${taskHash})
    select (w.proposal ->> 'version')::int as version, 'within' as source, t.n, t.status, t.failure, t.value
    from wanted_runs w join trials t on t.research_id = w.research_id and t.n = w.n
    where w.research_id = ${researchId} and w.kind = 'evaluation' and t.status is not null and t.task_hash = ${taskHash}
    union all
    select a.version, 'apart', t.n, t.status, t.failure, t.value
    from apart a join weights using (version, hash) join trials t on t.research_id = a.id
    where t.kind = 'search' and t.status is not null
    order by version, source desc, n`);
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.source} ${row.version}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((samples) => {
    const [first] = samples;
    if (first === undefined) return [];
    const trials = samples.map(({ status, failure, value }): EvaluatedTrial => ({
      kind: 'search',
      status,
      failure,
      value: finiteOrNull(value),
      reward: null,
    }));
    const { ended, lost, readable, value } = summarizeEvaluation(trials, { hasReward: false });
    return [{ version: first.version, source: first.source, ended, lost, readable, value }];
  });
}
