import { sql, TransactionRollbackError } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** Reports whether the database can store the end of a trial now. Makes that change and takes it back. */
export async function canEndTrial(db: Tx, trialId: string): Promise<boolean> {
  try {
    await db.transaction(async (tx) => {
      await tx.execute(
        sql`update trials set status = 'lost', ended_at = clock_timestamp() where id = ${trialId} and status is null`,
      );
      tx.rollback();
    });
    return true;
  } catch (error) {
    return error instanceof TransactionRollbackError;
  }
}
