import { sql } from 'drizzle-orm';
import { LATE } from '../../../domain/learning/late.ts';
import type { UpdateState } from '../../../domain/learning/update-state.ts';
import type { UpdatePlan } from '../../../domain/search/update.ts';
import type { SampleView } from '../../../view/policy/sample.ts';
import type { Tx } from '../../connect.ts';

interface Row extends Omit<SampleView, 'update'>, Record<string, unknown> {
  k: number;
  state: UpdateState | null;
  skipped: string | null;
  reason: string | null;
}

/** The sample that a trial's proposal was read from; null where it was not drawn from a policy. */
export async function readSample(
  db: Tx,
  { trialId, plan }: { trialId: string; plan: UpdatePlan | null },
): Promise<SampleView | null> {
  const { rows } = await db.execute<Row>(sql`
    select g.version as "policyVersion", r.policy_version as checkpoint, r.g as "group", r.seq, r.k, u.state, u.reason,
      case when u.batch @> to_jsonb(r.trial_id) then (select left_out->>'reason' from jsonb_array_elements(u.skipped) left_out
        where left_out->>'id' = r.trial_id limit 1) when u.k is not null then ${LATE} end as skipped
    from rollouts r
    join rollout_groups g on g.research_id = r.research_id and g.g = r.g
    left join updates u on u.research_id = r.research_id and u.k = r.k
    where r.trial_id = ${trialId}`);
  const [row] = rows;
  if (!row) return null;
  const { k, state, skipped, reason, ...sample } = row;
  // Without a plan no update is to come.
  if (state === null && plan === null) return { ...sample, update: null };
  return { ...sample, update: { k, state: state ?? 'open', skipped, reason } };
}
