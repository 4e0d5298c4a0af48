import { desc, eq } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { alerts } from '../schema.ts';

/** What a person should see: the last alerts of a research, the newest first. */
export async function readAlerts(
  db: Tx,
  input: { researchId: string; limit: number },
): Promise<{ message: string; at: Date }[]> {
  return db
    .select({ message: alerts.message, at: alerts.at })
    .from(alerts)
    .where(eq(alerts.researchId, input.researchId))
    .orderBy(desc(alerts.id))
    .limit(input.limit);
}
