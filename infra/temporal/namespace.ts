import { type Connection, isGrpcServiceError } from '@temporalio/client';

/** Closed runs stay readable for a week; the lineage in Postgres stays for good. */
export const RETENTION_SECONDS = 7 * 24 * 3600;

/** Sets the retention of a namespace of our own server; idempotent. */
export async function setRetention(connection: Connection, namespace: string): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  if (Number(config?.workflowExecutionRetentionTtl?.seconds) === RETENTION_SECONDS) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as never } },
  });
}

/** True once the namespace answers; false while the server is still coming up. */
export async function answers(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error)) return false;
    throw error;
  }
}
