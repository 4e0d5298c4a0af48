import { desc, eq } from 'drizzle-orm';
import type { Alert } from '../../../view/status.ts';
import type { Tx } from '../../connect.ts';
import { alerts } from '../../schema.ts';

/** Last alerts of a research, newest first. */
export async function readAlerts(db: Tx, input: { researchId: string; limit: number }): Promise<Alert[]> {
  const rows = await db
    .select({ message: alerts.message, at: alerts.at })
    .from(alerts)
    .where(eq(alerts.researchId, input.researchId))
    .orderBy(desc(alerts.id))
    .limit(input.limit);
  return rows.map(({ at, message }) => ({ at: at.toISOString(), message }));
}
