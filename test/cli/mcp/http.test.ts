import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import { NOWHERE, run } from '../support/cli.ts';
import { sharedServer, type Lineage } from '../support/database.ts';
import { insertStory } from '../support/lineage.ts';

let lineage: Lineage;

beforeAll(async () => {
  lineage = await sharedServer().open();
  await insertStory(lineage.db, 'toy');
});
afterAll(() => lineage.close());

const environment = (more: Record<string, string> = {}) => ({
  DATABASE_URL: lineage.url,
  TEMPORAL_ADDRESS: NOWHERE,
  PERPETUA_HOME: '/nonexistent',
  ...more,
});

/** Starts the command in this process. `end` ends it like Ctrl-C and returns its exit code and output. */
async function serve(env: Record<string, string>) {
  const interrupt = new AbortController();
  const written = { stdout: '', stderr: '' };
  const code = runCli(['mcp', '--http', '0'], {
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    signal: interrupt.signal,
    env,
  });
  await expect.poll(() => written.stderr).toMatch(/token/);
  const [url = ''] = /http:\S+/.exec(written.stderr) ?? [];
  const end = async () => {
    interrupt.abort();
    return { code: await code, ...written };
  };
  return { url, stderr: written.stderr, end };
}

async function connect(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

test('a server prints a new token, takes it, and ends like Ctrl-C with nothing on stdout', async () => {
  const { url, stderr, end } = await serve(environment());
  const [, token = ''] = /^token: ([0-9a-f]{48})$/m.exec(stderr) ?? [];
  const client = await connect(url, token);
  await expect(client.callTool({ name: 'status', arguments: {} })).resolves.toMatchObject({
    content: [{ text: expect.stringContaining('"workflowId":"toy"') as unknown }],
  });
  await client.close();
  expect(await end()).toMatchObject({ code: 0, stdout: '' });
});

test('a token of the environment is taken and not printed; a short one is refused', async () => {
  const token = 'a-secret-of-this-test';
  const { url, end } = await serve(environment({ PERPETUA_MCP_TOKEN: token }));
  await connect(url, token).then((client) => client.close());
  await expect(connect(url, 'another')).rejects.toThrow('Expected the header');
  expect((await end()).stderr).not.toContain(token);
  const short = await run(['mcp', '--http', '0'], { env: environment({ PERPETUA_MCP_TOKEN: 'short' }) });
  expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining('at least 16') as unknown });
  expect(short.stderr).not.toContain('got "short"');
});

test('a client that hangs up ends its wait', async () => {
  const token = 'a-secret-of-this-test';
  const { url, end } = await serve(environment({ PERPETUA_MCP_TOKEN: token }));
  const client = await connect(url, token);
  const connections = async (): Promise<number> => {
    const { rows } = await lineage.db.execute<{ count: number }>(
      sql`select count(*)::int as count from pg_stat_activity where datname = current_database()`,
    );
    return rows[0]?.count ?? 0;
  };
  const before = await connections();
  const progress: string[] = [];
  const waiting = client
    .callTool({ name: 'wait', arguments: { n: 6, seconds: 3600 } }, undefined, {
      onprogress: ({ message = '' }) => progress.push(message),
    })
    .catch(() => 'ended');
  await expect.poll(() => progress.length).toBeGreaterThan(0);
  expect(await connections()).toBeGreaterThan(before);
  await client.close();
  expect(await waiting).toBe('ended');
  await expect.poll(connections).toBe(before);
  await end();
});

test('a port that another program uses, and an option that is no port, are refused', async () => {
  const other: Server = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const taken = await run(['mcp', '--http', String(port)], { env: environment() });
  expect(taken).toMatchObject({
    code: 2,
    stderr: `Expected a free port, but ${port} is in use. Give another --http.\n`,
  });
  other.close();
  for (const text of ['70000', 'x', '-1', '1.5'])
    expect((await run(['mcp', `--http=${text}`], { env: environment() })).stderr).toContain(
      'Expected --http to be a port',
    );
  const empty = await run(['mcp', '--tasks', 'a,,b', '--http', '0'], { env: environment() });
  expect(empty.stderr).toContain('Expected --tasks to be names separated by commas, got "a,,b"');
});

test('the skill file is printed as it is', async () => {
  const { code, stdout } = await run(['mcp', '--skill']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^---\nname: perpetua\ndescription: .+\n---\n/);
});
