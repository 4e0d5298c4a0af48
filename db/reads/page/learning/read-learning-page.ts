import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../../domain/json/number.ts';
import { choiceIn, learns } from '../../../../domain/search/proposer/makers.ts';
import { type Command, policyCommands } from '../../../../view/page/commands.ts';
import { describeHeirs, describeOrigin, startOf } from '../../../../view/policy/descent.ts';
import type { EvaluatedVersion } from '../../../../view/policy/evaluated.ts';
import type { LearningView } from '../../../../view/policy/learning.ts';
import { errorOf } from '../../../../domain/learning/statistics/mean-reward.ts';
import { placeReferences, type PlacedReference } from '../../../../domain/learning/statistics/references.ts';
import { rewardScaleOf, type RewardScale } from '../../../../domain/learning/statistics/reward-scale.ts';
import type { Fired } from '../../../../domain/learning/gates/judge-update.ts';
import type { Tx } from '../../../connect.ts';
import { readDescent } from '../../policy/read-descent.ts';
import { planOf } from '../../policy/plan-of.ts';
import { readEvaluatedVersions } from '../../policy/read-evaluated-versions.ts';
import { readLearning } from '../../policy/read-learning.ts';
import { readMeanRewards } from '../../policy/read-mean-rewards.ts';
import type { ResearchView } from '../../read-research.ts';
import { isoOf, isoOrNull } from '../iso.ts';

/** An update of a policy; the version that it made has its number. */
export interface UpdatePage {
  k: number;
  state: string;
  parent: number | null;
  checkpoint: string | null;
  inForce: boolean;
  /** True if a person named its version: the weights stay. */
  held: boolean;
  /** True if the weights of its version were removed. */
  removed: boolean;
  samples: number;
  skipped: number;
  /** Mean of the stored rewards of its batch. */
  reward: number | null;
  /** Half of its 95 % interval; null if it is unknown. */
  error: number | null;
  /** Share of its batch that was not rejected, 0 to 1. */
  legal: number | null;
  metrics: Record<string, number>;
  gates: { metric: string; then: string; words: string }[];
  /** Seconds that its step computed. */
  seconds: number | null;
  reason: string | null;
  dueAt: string;
  endedAt: string | null;
}

/** Held-out value of a version, with its 95 % interval if it is known. */
export interface EvaluatedVersionPage extends Pick<EvaluatedVersion, 'version' | 'source'> {
  samples: number;
  /** Share of readable answers, 0 to 1. */
  readable: number | null;
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface LearningPage extends Pick<LearningView, 'version' | 'pinned' | 'halted' | 'batch'> {
  algorithm: string | null;
  /** Model and versions with which the policy began, in words; null if the research has no policy any more. */
  origin: string | null;
  /** Researches that began with a version of this one, in words, a line for each version. */
  heirs: string[];
  updates: UpdatePage[];
  references: PlacedReference[];
  evaluations: EvaluatedVersionPage[];
  commands: Command[];
}

/** Most updates of a page, the last ones. */
const MOST = 500;
const NOT_BEGUN = { version: 0, pinned: false, halted: null, batch: null };

/** State of a research's learning, and its updates in order; undefined if it samples no policy. */
export async function readLearningPage(
  db: Tx,
  { research }: { research: ResearchView },
): Promise<LearningPage | undefined> {
  const plan = planOf(research);
  const learning = await readLearning(db, { researchId: research.id, plan });
  if (learning === null && !learns(choiceIn(research))) return undefined;
  const { version, pinned, halted, batch } = learning ?? NOT_BEGUN;
  const scale = rewardScaleOf({ search: research.task.search, gate: research.gate });
  const updates = await readUpdates(db, { research, version, scale });
  const parent = updates.find(({ inForce }) => inForce)?.parent ?? null;
  const descent = await readDescent(db, research);
  const { id: researchId, taskHash } = research;
  const evaluated = await readEvaluatedVersions(db, { researchId, taskHash, start: startOf(descent) });
  return {
    origin: describeOrigin(descent),
    heirs: describeHeirs(descent),
    algorithm: plan?.algorithm.name ?? null,
    version,
    pinned,
    halted,
    batch,
    updates,
    references: placeReferences(research.task.references ?? [], scale),
    evaluations: evaluated.map(toEvaluatedVersionPage),
    commands: policyCommands(research.id, { version, parent, pinned, halted }),
  };
}

const toEvaluatedVersionPage = ({
  version,
  source,
  ended,
  lost,
  readable,
  value: { mean, low, high },
}: EvaluatedVersion): EvaluatedVersionPage => ({
  version,
  source,
  samples: ended - lost,
  readable: readable.share,
  value: mean,
  low,
  high,
});

interface Row
  extends Omit<UpdatePage, 'error' | 'inForce' | 'gates' | 'seconds' | 'dueAt' | 'endedAt'>, Record<string, unknown> {
  seconds: Record<string, number> | null;
  fired: Fired[] | null;
  begun: boolean;
  dueAt: string;
  endedAt: string | null;
}

async function readUpdates(
  db: Tx,
  { research, version, scale }: { research: ResearchView; version: number; scale: RewardScale | null },
): Promise<UpdatePage[]> {
  const { id: researchId, taskHash } = research;
  const { rows } = await db.execute<Row>(sql`
    with last as (select * from updates where research_id = ${researchId} order by k desc limit ${MOST})
    select last.k, last.state, last.begun_at is not null as begun, last.parent, last.checkpoint, last.held,
      last.removed_at is not null as removed, jsonb_array_length(last.batch) as samples,
      coalesce(jsonb_array_length(last.skipped), 0) as skipped, batch.reward, batch.legal,
      coalesce(last.metrics, '{}') as metrics,
      last.fired, last.seconds, last.reason, last.due_at as "dueAt", last.ended_at as "endedAt"
    from last, lateral (
      select avg(t.reward) as reward, avg((t.status <> 'rejected')::int)::float8 as legal
      from trials t where t.id in (select jsonb_array_elements_text(last.batch))) batch
    order by last.k`);
  const means = await readMeanRewards(db, { researchId, taskHash, scale, parts: rows.map(({ k }) => [k]) });
  return rows.map(({ fired, seconds, begun, ...row }, index) => {
    const parts = Object.values(seconds ?? {});
    const mean = means[index];
    return {
      ...row,
      error: mean ? finiteOrNull(errorOf(mean)) : null,
      reward: finiteOrNull(row.reward),
      inForce: row.checkpoint !== null && row.k === version,
      state: row.state === 'due' && begun ? 'under way' : row.state,
      gates: (fired ?? []).map(({ gate, words }) => ({ metric: gate.metric, then: gate.then, words })),
      seconds: parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0),
      dueAt: isoOf(row.dueAt),
      endedAt: isoOrNull(row.endedAt),
    };
  });
}
