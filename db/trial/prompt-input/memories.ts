import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Memory } from '../../../domain/prompt/search-facts.ts';
import type { Tx } from '../../connect.ts';
import { memories, trials } from '../../schema.ts';

/** Stores the memory that a trial's answer has, once. The caller holds the research's lock, which orders versions. */
export async function saveMemory(
  db: Tx,
  { researchId, trialId, text }: { researchId: string; trialId: string; text: string },
): Promise<void> {
  await db.insert(memories).values({ researchId, trialId, text }).onConflictDoNothing();
}

/** The latest version of a research's memory; null: it has none. */
export async function findMemory(db: Tx, researchId: string): Promise<Memory | null> {
  const rows = await db
    .select({ text: memories.text, n: trials.n })
    .from(memories)
    .leftJoin(trials, eq(trials.id, memories.trialId))
    .where(eq(memories.researchId, researchId))
    .orderBy(desc(memories.id))
    .limit(1);
  return rows[0] ?? null;
}

/** Copies the latest version of another research's memory, if it has one. */
export async function copyMemory(db: Tx, { researchId, from }: { researchId: string; from: string }): Promise<void> {
  await db.execute(sql`
    insert into memories (research_id, copied_from, text)
    select ${researchId}, ${from}, text from memories where research_id = ${from} order by id desc limit 1`);
}

/** Research whose memory a research copied when it began; null: none. */
export async function findMemorySource(db: Tx, researchId: string): Promise<string | null> {
  const rows = await db
    .select({ from: memories.copiedFrom })
    .from(memories)
    .where(and(eq(memories.researchId, researchId), isNotNull(memories.copiedFrom)))
    .limit(1);
  return rows[0]?.from ?? null;
}

/** Memory that the answer of a trial has; null: it left the memory as it was. */
export async function findWrittenMemory(db: Tx, trialId: string): Promise<string | null> {
  const rows = await db.select({ text: memories.text }).from(memories).where(eq(memories.trialId, trialId));
  return rows[0]?.text ?? null;
}
