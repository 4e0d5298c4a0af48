import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import type { NodeKey } from './keep-tree.ts';

/** Puts a node into a niche. */
export async function placeNode(
  db: Tx,
  { researchId, candidateId, niche, seq }: NodeKey & { niche: string; seq: number },
): Promise<void> {
  await db.execute(sql`
    update nodes set niche = ${niche} where research_id = ${researchId} and candidate_id = ${candidateId}`);
  await db.execute(sql`
    insert into niches (research_id, key, begun) values (${researchId}, ${niche}, ${seq}::int)
    on conflict (research_id, key) do update set begun = least(niches.begun, excluded.begun)`);
}

/** Stores a niche that a parent was chosen for. `retires`: the niche that becomes inactive. Safe to repeat. */
export async function chooseNiche(
  db: Tx,
  { researchId, niche, retires }: { researchId: string; niche: string; retires: string | null },
): Promise<void> {
  await db.execute(sql`
    insert into niches (research_id, key) values (${researchId}, ${niche}) on conflict do nothing`);
  if (retires !== null)
    await db.execute(sql`update niches set is_active = false where research_id = ${researchId} and key = ${retires}`);
}
