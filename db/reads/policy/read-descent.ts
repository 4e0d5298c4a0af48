import { and, eq, sql } from 'drizzle-orm';
import type { LearntVersion } from '../../../domain/learning/weights/learnt-base.ts';
import { choiceIn, knownFacts } from '../../../domain/search/proposer/makers.ts';
import type { Descent } from '../../../view/policy/descent.ts';
import type { Tx } from '../../connect.ts';
import { policyBases } from '../../schema.ts';
import type { ResearchView } from '../read-research.ts';

/** The versions from which a research's policy descends, and the researches that began with one of its own. */
export async function readDescent(db: Tx, research: ResearchView): Promise<Descent> {
  const base = knownFacts(choiceIn(research))?.learners[0]?.settings['base'];
  const name = typeof base === 'string' ? base : null;
  const isBase = and(eq(policyBases.researchId, research.id), eq(policyBases.base, name ?? ''));
  const [row] = await db.select().from(policyBases).where(isBase);
  const { rows: heirs } = await db.execute<LearntVersion & Record<string, unknown>>(sql`
    select research_id as research, (descent->-1->>'version')::int as version from policy_bases
    where descent->-1->>'research' = ${research.id}
      -- An heir of a deleted research of the same id has other weights.
      and (checkpoint is null or descent->-1->>'version' = '0' or exists (
        select 1 from updates u where u.research_id = ${research.id} and u.k = (descent->-1->>'version')::int
          and u.checkpoint = policy_bases.checkpoint))
    order by version, created_at`);
  return { model: row?.model ?? name, ancestors: row?.descent ?? [], heirs };
}
