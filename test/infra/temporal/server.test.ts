import { statSync } from 'node:fs';
import { mkdtemp, rm, readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { packageRoot, homePaths } from '../../../config/paths.ts';
import { loadConfig } from '../../../config/load.ts';
import { QUEUES } from '../../../domain/messages/names.ts';
import { clientOptions, workerOptions } from '../../../infra/temporal/connection-options.ts';
import { openBacklogReader } from '../../../infra/temporal/backlog-reader.ts';
import { findTemporalCli, type FoundCli } from '../../../infra/temporal/cli/find-cli.ts';
import { moveDatabaseAway } from '../../../infra/temporal/server/database-file.ts';
import { registerSearchAttributes } from '../../../infra/temporal/search-attributes.ts';
import { RETENTION_SECONDS, startTemporalServer, type TemporalServer } from '../../../infra/temporal/server.ts';
import { commandLine, isAlive } from '../../../infra/process/identity.ts';
import { freePort } from '../../../infra/process/free-port.ts';
import { listens } from '../../../infra/process/listens.ts';
import { endsWithin, signalProcess } from '../../../infra/process/stop.ts';
import { startConnectProxy } from '../../support/machine/connect-proxy.ts';

let home: string;
let cli: FoundCli;
const running: TemporalServer[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-temporal-'));
  const { temporalCliPath, env } = loadConfig();
  const keptAt = homePaths(join(packageRoot(), '.perpetua')).temporalCli;
  cli = await findTemporalCli({
    cliPath: temporalCliPath,
    keptAt,
    env,
    packageRoot: packageRoot(),
    onProgress: () => {},
  });
}, 900_000);
afterAll(async () => {
  for (const server of running) await server.stop();
  await rm(home, { recursive: true, force: true });
});

async function start(ports: { grpc: number | null; ui: number | null } = { grpc: null, ui: null }, dir = 'temporal') {
  const server = await startTemporalServer({
    cli,
    dir: join(home, dir),
    logFile: join(home, 'logs', `${dir}.log`),
    namespace: 'default',
    ports,
  });
  running.push(server);
  return server;
}
async function withClient<T>(server: TemporalServer, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: server.address });
  try {
    return await use(new Client({ connection, namespace: server.namespace }));
  } finally {
    await connection.close();
  }
}
const portOf = (url: string) => Number(url.slice(url.lastIndexOf(':') + 1));

describe('the embedded Temporal server', () => {
  test('a workflow and its signals survive kill -9 of the server, which comes back at the same address', async () => {
    const first = await start();
    await withClient(first, async ({ workflow }) => {
      const handle = await workflow.start('research', { taskQueue: 'nobody', workflowId: 'kept' });
      await handle.signal('note', { text: 'before the kill' });
    });
    signalProcess(first.process, 'SIGKILL');
    expect(await endsWithin(first.process, 30_000)).toBe(true);

    const second = await start({ grpc: portOf(first.address), ui: portOf(first.uiUrl) });
    expect(second.address).toBe(first.address);
    expect(second.uiUrl).toBe(first.uiUrl);
    const { events } = await withClient(second, ({ workflow }) => workflow.getHandle('kept').fetchHistory());
    expect(events?.map((event) => event.workflowExecutionSignaledEventAttributes?.signalName).filter(Boolean)).toEqual([
      'note',
    ]);
    await second.stop();
    expect(isAlive(second.process)).toBe(false);
  });

  test('it is found though its command line shows no port or folder and its folders are closed to others', async () => {
    const first = await start({ grpc: null, ui: null }, 'unseen');
    const line = commandLine(first.process.pid);
    for (const secret of [home, 'temporal.db', String(portOf(first.address)), String(portOf(first.uiUrl))])
      expect(line).not.toContain(secret);
    expect(line).toMatch(/^temporal server start-dev --ip 127\.0\.0\.1 /);
    for (const place of ['', '.config/temporalio'])
      expect(statSync(join(home, 'unseen', place)).mode & 0o777).toBe(0o700);
    const second = await start({ grpc: null, ui: null }, 'unseen');
    expect(second).toMatchObject({ adopted: true, address: first.address, uiUrl: first.uiUrl, process: first.process });
    await second.stop();
  });

  test('it is reached by a name that only a proxy resolves, by client and worker, with a password', async () => {
    const server = await start();
    const proxy = await startConnectProxy(portOf(server.address));
    const target = { address: 'temporal.invalid:7233', connection: {} };
    // gRPC's client reads the environment of the process.
    vi.stubEnv('grpc_proxy', proxy.url);
    vi.stubEnv('no_proxy', 'localhost');
    try {
      const client = await Connection.connect(clientOptions(target, process.env));
      await client.workflowService.getSystemInfo({});
      await client.close();
      expect(proxy.requested).toEqual(['me:secret@temporal.invalid:7233']);
      const worker = await NativeConnection.connect(workerOptions(target, process.env));
      await worker.close();
      expect(proxy.requested).toHaveLength(2);
      expect(proxy.requested[1]).toBe(proxy.requested[0]);
      // The server's own address stays direct.
      await (await Connection.connect(clientOptions({ ...target, address: server.address }, process.env))).close();
      expect(proxy.requested).toHaveLength(2);
    } finally {
      vi.unstubAllEnvs();
      proxy.close();
      await server.stop();
    }
  });

  test('closed runs are kept for seven days, the database is in WAL mode, search attributes are usable', async () => {
    const server = await start({ grpc: null, ui: null }, 'settings');
    await withClient(server, async (client) => {
      const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(RETENTION_SECONDS);
      expect(await registerSearchAttributes(client)).toEqual({ registered: true, reason: null });
      const query = 'PerpetuaTask = "a" AND PerpetuaPhase = "b" AND PerpetuaBest > 1 AND PerpetuaTrials > 2';
      expect((await client.workflow.count(query)).count).toBe(0);
    });
    expect(await readdir(join(home, 'settings'))).toContain('temporal.db-wal');
    // Commits are durable, and the only shard may poll more than 20 times a second. The server reports neither setting.
    const line = commandLine(server.process.pid);
    expect(line).toContain('--sqlite-pragma synchronous=2 ');
    expect(line).toContain('history.transferProcessorMaxPollRPS=1000 ');
    expect(line).toContain('history.timerProcessorMaxPollRPS=1000 ');
    await expect.poll(async () => (await fetch(server.uiUrl)).status).toBe(200);
    await server.stop();
  });

  test('missing search attributes are registered; one of another type is reported, not thrown', async () => {
    const server = await start({ grpc: null, ui: null }, 'attributes');
    await withClient(server, async (client) => {
      const { operatorService } = client.connection;
      await operatorService.removeSearchAttributes({
        namespace: 'default',
        searchAttributes: ['PerpetuaTask', 'PerpetuaBest'],
      });
      expect(await registerSearchAttributes(client)).toEqual({ registered: true, reason: null });
      await operatorService.removeSearchAttributes({ namespace: 'default', searchAttributes: ['PerpetuaBest'] });
      await operatorService.addSearchAttributes({ namespace: 'default', searchAttributes: { PerpetuaBest: 2 } });
      expect(await registerSearchAttributes(client)).toEqual({
        registered: false,
        reason:
          'PerpetuaBest exists in namespace default with another type than Double: ' +
          'remove or rename it there, or set TEMPORAL_NAMESPACE to another namespace',
      });
    });
    await server.stop();
  });

  test('the age of the oldest workflow task without a worker is read, and a frozen server is no answer', async () => {
    const server = await start({ grpc: null, ui: null }, 'backlog');
    const reader = openBacklogReader(process.env);
    const target = { address: server.address, namespace: server.namespace, connection: {} };
    const read = (withinMs = 20_000): Promise<number> => reader.read(target, { withinMs });
    expect(await read()).toBe(0);
    await withClient(server, ({ workflow }) =>
      workflow.start('research', { taskQueue: QUEUES.main, workflowId: 'waits' }),
    );
    await expect.poll(() => read()).toBeGreaterThan(0);
    signalProcess(server.process, 'SIGSTOP');
    await expect(read(200)).rejects.toThrow();
    signalProcess(server.process, 'SIGCONT');
    await expect.poll(() => read()).toBeGreaterThan(0);
    await reader.close();
    await server.stop();
  });

  test('waiting tasks leave a queue in the order of their priority', async () => {
    const server = await start({ grpc: null, ui: null }, 'ordered');
    await withClient(server, async (client) => {
      const priorities = [4, 2, 5, 1, 3, 2, 4, 1, 5, 3, 1, 4];
      for (const [i, priorityKey] of priorities.entries())
        await client.workflow.start('nobody', {
          taskQueue: 'ordered',
          workflowId: `ordered-${i}`,
          priority: { priorityKey },
        });
      const waiting = async (): Promise<number> => {
        const { stats } = await client.workflowService.describeTaskQueue({
          namespace: server.namespace,
          taskQueue: { name: 'ordered' },
          taskQueueType: 1,
          reportStats: true,
        });
        return Number(stats?.approximateBacklogCount);
      };
      // The tasks enter the queue a moment after their workflows were started.
      await expect.poll(waiting).toBe(priorities.length);
      const polled: number[] = [];
      while (polled.length < priorities.length) {
        const { workflowExecution } = await client.withDeadline(Date.now() + 60_000, () =>
          client.workflowService.pollWorkflowTaskQueue({
            namespace: server.namespace,
            taskQueue: { name: 'ordered' },
            identity: 'test',
          }),
        );
        polled.push(priorities[Number(workflowExecution?.workflowId?.slice('ordered-'.length))] ?? 0);
      }
      expect(polled).toEqual([...priorities].sort());
    });
    await server.stop();
  });

  test('a server whose parent was killed is adopted, at its address and with its process', async () => {
    const first = await start({ grpc: null, ui: null }, 'adopted');
    const second = await start({ grpc: null, ui: null }, 'adopted');
    expect(second).toMatchObject({ adopted: true, address: first.address, uiUrl: first.uiUrl, process: first.process });
    await second.stop();
    expect(await start({ grpc: null, ui: null }, 'adopted')).toMatchObject({ adopted: false });
  });

  test('taken ports are replaced by free ones', async () => {
    const blocker = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
    });
    const { port } = blocker.address() as { port: number };
    const server = await start({ grpc: port, ui: port }, 'ports');
    expect(portOf(server.address)).not.toBe(port);
    expect(portOf(server.uiUrl)).not.toBe(port);
    await server.stop();
    blocker.close();
  });

  test('two servers that start at once with the same ports have an address and a process each', async () => {
    const [grpc, ui] = [await freePort(null), await freePort(null)];
    const servers = await Promise.all(['one', 'other'].map((dir) => start({ grpc, ui }, dir)));
    expect(new Set(servers.flatMap(({ address, uiUrl }) => [portOf(address), portOf(uiUrl)])).size).toBe(4);
    for (const server of servers) {
      expect(listens(server.process.pid, portOf(server.address))).toBe(true);
      await server.stop();
    }
  });

  test('a file of another version of the server is refused, and can be moved away but is never deleted', async () => {
    const dir = join(home, 'temporal');
    await writeFile(join(dir, 'temporal.version.json'), '{"cli":"1.3.0","server":"1.27.1","ui":"2.36.0"}');
    await expect(start()).rejects.toThrow(/written by server 1\.27\.1.*npx perpetua up --fresh-temporal/s);
    const old = await moveDatabaseAway(dir, new Date());
    expect(await readdir(old ?? '')).toEqual(expect.arrayContaining(['temporal.db', 'temporal.version.json']));
    const server = await start();
    await withClient(server, async ({ workflow }) => {
      await expect(workflow.getHandle('kept').describe()).rejects.toThrow(/not found/);
    });
    await server.stop();
  });

  test('a server that cannot start is reported with the end of its log', async () => {
    const dir = join(home, 'broken');
    await start({ grpc: null, ui: null }, 'broken').then((server) => server.stop());
    await moveDatabaseAway(dir, new Date());
    await writeFile(join(dir, 'temporal.db'), 'not a database'.repeat(100));
    await writeFile(join(dir, 'temporal.version.json'), JSON.stringify(cli.version));
    await expect(start({ grpc: null, ui: null }, 'broken')).rejects.toThrow(
      /it ended.*broken\.log, ends with:.*not a database/s,
    );
  });
});
