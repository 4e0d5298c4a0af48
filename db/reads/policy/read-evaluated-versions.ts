import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../domain/json/number.ts';
import {
  type EvaluatedTrial,
  type EvaluationSummary,
  summarizeEvaluation,
} from '../../../domain/learning/evaluation/summarize-evaluation.ts';
import { evaluationId } from '../../../domain/research/check-id.ts';
import type { Tx } from '../../connect.ts';

/** `within`: by `search.update.eval`. `apart`: by `perpetua policy eval`. */
export type EvaluationSource = 'within' | 'apart';

/** Held-out value of a version of a policy, over all ended samples of one source. */
export interface EvaluatedVersion extends Pick<EvaluationSummary, 'ended' | 'lost' | 'readable' | 'value'> {
  version: number;
  source: EvaluationSource;
}

interface Row extends Record<string, unknown>, Pick<EvaluatedTrial, 'status' | 'failure' | 'value'> {
  version: number;
  source: EvaluationSource;
}

/** Versions of a research's policy that were evaluated on a task version, in order. */
export async function readEvaluatedVersions(
  db: Tx,
  { researchId, taskHash }: { researchId: string; taskHash: string },
): Promise<EvaluatedVersion[]> {
  const prefix = evaluationId({ policy: researchId, key: 'v' });
  const { rows } = await db.execute<Row>(sql`
    select (w.proposal ->> 'version')::int as version, 'within' as source, t.n, t.status, t.failure, t.value
    from wanted_runs w join trials t on t.research_id = w.research_id and t.n = w.n
    where w.research_id = ${researchId} and w.kind = 'evaluation' and t.status is not null and t.task_hash = ${taskHash}
    union all
    select split_part(substr(r.id, length(${prefix}) + 1), '-', 1)::int, 'apart', t.n, t.status, t.failure, t.value
    from researches r join trials t on t.research_id = r.id
    where starts_with(r.id, ${prefix}) and substr(r.id, length(${prefix}) + 1) ~ '^[0-9]{1,9}-[0-9a-f]+$'
      and r.task_hash = ${taskHash} and t.kind = 'search' and t.status is not null
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
