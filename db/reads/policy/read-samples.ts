import { sql, type SQL } from 'drizzle-orm';
import { finiteOrNull } from '../../../domain/json/number.ts';
import type { ShownVerdict, TrialStatus } from '../../../domain/trial.ts';
import { LATE } from '../../../domain/learning/late.ts';
import type { UpdateState } from '../../../domain/learning/update-state.ts';
import type { SampleView } from '../../../view/policy/sample.ts';
import type { UpdatePlan } from '../../../domain/learning/plan.ts';
import type { Tx } from '../../connect.ts';
import { shownVerdict } from '../../trial/shown-verdict.ts';

/** A sample with its outcome. */
export interface SampleLine {
  trialId: string;
  n: number;
  group: number;
  /** Version that drew it. */
  policyVersion: number;
  /** Null while its trial is under way. */
  status: TrialStatus | null;
  value: number | null;
  reward: number | null;
  verdict: ShownVerdict | null;
}

/** Samples that a version drew, in the order of joining. */
export const readDrawn = (
  db: Tx,
  { researchId, version }: { researchId: string; version: number },
): Promise<SampleLine[]> => readSamples(db, sql`r.research_id = ${researchId} and g.version = ${version}`);

/** Samples of a batch, in the order of joining. */
export const readBatch = (db: Tx, { trialIds }: { trialIds: readonly string[] }): Promise<SampleLine[]> =>
  readSamples(db, sql`r.trial_id in (select jsonb_array_elements_text(${JSON.stringify(trialIds)}::jsonb))`);

async function readSamples(db: Tx, which: SQL): Promise<SampleLine[]> {
  const { rows } = await db.execute<SampleLine & Record<string, unknown>>(sql`
    select t.id as "trialId", t.n, r.g as "group", g.version as "policyVersion", t.status, t.value, t.reward,
      ${shownVerdict(sql`r.research_id`, sql`t`)} as verdict
    from rollouts r
    join rollout_groups g on g.research_id = r.research_id and g.g = r.g
    join trials t on t.id = r.trial_id
    where ${which} order by r.seq`);
  return rows.map((row) => ({ ...row, value: finiteOrNull(row.value), reward: finiteOrNull(row.reward) }));
}

interface Row extends Omit<SampleView, 'update'>, Record<string, unknown> {
  k: number;
  state: UpdateState | null;
  skipped: string | null;
  reason: string | null;
}

/** Sample that a trial's proposal was parsed from; null if no policy drew it. */
export async function readSample(
  db: Tx,
  { trialId, plan }: { trialId: string; plan: UpdatePlan | null },
): Promise<SampleView | null> {
  const { rows } = await db.execute<Row>(sql`
    select g.version as "policyVersion", r.policy_version as checkpoint, r.g as "group", r.seq, r.k, u.state, u.reason,
      case when u.batch @> to_jsonb(r.trial_id) then (
          select left_out->>'reason' from jsonb_array_elements(u.skipped) left_out
          where left_out->>'id' = r.trial_id limit 1)
        when u.k is not null then ${LATE} end as skipped
    from rollouts r
    join rollout_groups g on g.research_id = r.research_id and g.g = r.g
    left join updates u on u.research_id = r.research_id and u.k = r.k
    where r.trial_id = ${trialId}`);
  const [row] = rows;
  if (!row) return null;
  const { k, state, skipped, reason, ...sample } = row;
  // No update will come without a plan.
  if (state === null && plan === null) return { ...sample, update: null };
  return { ...sample, update: { k, state: state ?? 'open', skipped, reason } };
}
