import { Connection } from '@temporalio/client';
import { QUEUES } from '../../domain/messages/names.ts';
import { clientOptions } from './connection-options.ts';

/** Queues of workflow tasks. */
const WORKFLOW_QUEUES = [QUEUES.main, QUEUES.trial] as const;
/** TASK_QUEUE_TYPE_WORKFLOW */
const WORKFLOW_TASKS = 1;

type Server = Parameters<typeof clientOptions>[0] & { namespace: string };

export interface BacklogReader {
  /**
   * Age in seconds of the oldest workflow task that waits for a worker; 0 if none waits. Throws if the server does not
   * answer within the time. Asks on one connection, until the address changes.
   */
  read: (server: Server, options: { withinMs: number }) => Promise<number>;
  close: () => Promise<void>;
}

/** Opens a reader of the backlog of workflow tasks, which changes nothing. */
export function openBacklogReader(env: Readonly<Record<string, string | undefined>>): BacklogReader {
  let current: { address: string; connection: Connection } | null = null;
  const connectionTo = (server: Server): Connection => {
    if (current?.address === server.address) return current.connection;
    void current?.connection.close();
    current = { address: server.address, connection: Connection.lazy(clientOptions(server, env)) };
    return current.connection;
  };
  return {
    read: async (server, { withinMs }) => {
      const connection = connectionTo(server);
      const ages = await connection.withDeadline(Date.now() + withinMs, async () => {
        await connection.ensureConnected();
        return Promise.all(WORKFLOW_QUEUES.map((queue) => readAge(connection, { namespace: server.namespace, queue })));
      });
      return Math.max(...ages);
    },
    close: async () => {
      await current?.connection.close();
      current = null;
    },
  };
}

async function readAge(
  { workflowService }: Connection,
  { namespace, queue }: { namespace: string; queue: string },
): Promise<number> {
  const { stats } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType: WORKFLOW_TASKS,
    reportStats: true,
  });
  const { seconds, nanos } = stats?.approximateBacklogAge ?? {};
  return Number(String(seconds ?? 0)) + (nanos ?? 0) / 1e9;
}
