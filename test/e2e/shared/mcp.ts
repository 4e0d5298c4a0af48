import { request } from 'node:http';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { createApp, listen, type HttpServer } from '../../../cli/mcp/serve-http.ts';
import { steering } from '../../support/e2e/steer.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
let server: HttpServer;
let folder: string;
const TOKEN = 'a-token-of-this-test';
const { begin } = steering(() => stack);

const environment = () => ({
  PATH: '/usr/bin:/bin',
  DATABASE_URL: stack.databaseUrl,
  TEMPORAL_ADDRESS: stack.temporalAddress,
  PERPETUA_HOME: stack.home,
});

const newClient = (): Client => new Client({ name: 'test', version: '1' });

async function overStdio(): Promise<Client> {
  const client = newClient();
  const args = [join(packageRoot(), 'dist', 'cli', 'main.js'), 'mcp', '--tasks', 'lr-knob'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: environment(), stderr: 'inherit' }),
    { timeout: 100_000 },
  );
  return client;
}

const url = () => `http://127.0.0.1:${server.port}/mcp`;

async function overHttp(): Promise<Client> {
  const client = newClient();
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url()), { requestInit }));
  return client;
}

interface Called {
  isError: boolean;
  texts: string[];
  progress: string[];
}

/** Calls a tool; `progress` has the messages that came meanwhile. */
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Called> {
  const progress: string[] = [];
  const { content, isError = false } = await client.callTool({ name, arguments: args }, undefined, {
    timeout: 200_000,
    onprogress: ({ message = '' }) => progress.push(message),
  });
  return { isError: isError === true, texts: (content as { text: string }[]).map(({ text }) => text), progress };
}

async function json(client: Client, name: string, args: Record<string, unknown>): Promise<unknown> {
  const { isError, texts } = await call(client, name, args);
  expect(isError, texts.join('\n')).toBe(false);
  return JSON.parse(texts[0] ?? '');
}

export function mcpTests(shared: () => TestStack): void {
  beforeAll(async () => {
    stack = shared();
    const io = {
      openingTimeoutMs: 100_000,
      stdout: { write: () => true },
      stderr: { write: () => true },
      env: environment(),
    };
    folder = await writeTask(join(stack.home, 'for-agents'), { task: { name: 'for-agents' } });
    server = await listen(createApp({ io, startable: [folder] }, TOKEN), 0);
  });
  afterAll(() => server.close());

  test('an agent proposes over stdio, and follows its idea to the verdict over HTTP', async () => {
    const research = 'by-agent';
    await begin(research, { paused: true, budget: { trials: 3 } });
    const first = await overStdio();
    const { tools } = await first.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['propose', 'wait', 'status', 'start']));
    const idea = { research, files: { 'knobs.env': 'X=7\n' }, hypothesis: 'it is seven', key: 'seven' };
    expect(await json(first, 'propose', idea)).toEqual({ research, key: 'seven' });
    expect(await json(first, 'wait', { research, key: 'seven', seconds: 0 })).toMatchObject({
      settled: false,
      trial: null,
      summary: 'The idea waits for its trial. The research by-agent is paused: paused by a person; runs finish.',
    });
    await first.close();

    const second = await overHttp();
    expect(await json(second, 'propose', idea)).toEqual({ research, key: 'seven' });
    const immutable = await call(second, 'propose', { ...idea, key: 'run', files: { 'run.sh': 'true\n' } });
    expect(immutable).toMatchObject({
      isError: true,
      texts: [
        'by-agent refused the message: files.run.sh: ' +
          'expected one of the mutable files knobs.env; this file is immutable',
      ],
    });
    const dirty = await call(second, 'propose', { ...idea, key: 'dirty', files: { 'knobs.env': 'X=7\0\n' } });
    expect(dirty).toMatchObject({ isError: true, texts: [expect.stringContaining('expected text, got NUL')] });
    const other = await call(second, 'propose', { ...idea, files: { 'knobs.env': 'X=8\n' } });
    expect(other).toMatchObject({ isError: true, texts: [expect.stringContaining('key: expected a new key')] });

    await json(second, 'resume', { research });
    const waited = await call(second, 'wait', { research, key: 'seven', seconds: 180 });
    const [text = ''] = waited.texts;
    const { trial, ...end } = JSON.parse(text) as { trial: string };
    expect(end).toMatchObject({ settled: true, key: 'seven', status: 'completed', verdict: 'keep', value: 0 });
    expect(waited.progress.length).toBeGreaterThan(0);
    const injected = await stack.query<{ id: string }>(
      `select id from trials where research_id = $1 and kind = 'injected'`,
      [research],
    );
    expect(injected).toEqual([{ id: trial }]);
    const sent = await stack.query(
      `select data->>'key' as key, data->>'sender' as sender from events
       where research_id = $1 and kind = 'idea-injected'`,
      [research],
    );
    expect(sent).toEqual([{ key: 'seven', sender: 'coding-agent' }]);
    // The same key after the end of its trial is still the same idea.
    expect(await json(second, 'show', { trial })).toMatchObject({ hypothesis: 'it is seven', verdict: 'keep' });
    const n = Number(trial.split('/')[1]);
    const uri = `perpetua://trial/${research}/${n}/files/knobs.env`;
    const { contents } = await second.readResource({ uri });
    expect(contents).toMatchObject([{ uri, text: 'X=7\n' }]);
    expect(await call(second, 'read', { uri })).toMatchObject({ texts: ['X=7\n'] });
    await second.close();
  });

  test('an agent starts only a task that the server was started with, and the research outlives it', async () => {
    const client = await overHttp();
    const refused = await call(client, 'start', { task: 'lr-knob' });
    expect(refused).toMatchObject({
      isError: true,
      texts: [expect.stringMatching(/^Expected a task that this server may start .*--tasks lr-knob/)],
    });
    const args = { task: folder, budget: { trials: 1 }, set: ['search.parent=best'] };
    expect(await json(client, 'start', args)).toMatchObject({ workflowId: 'for-agents', opened: true });
    await client.close();
    expect(await stack.client.workflow.getHandle('for-agents').result()).toMatchObject({
      reason: 'budget.trials is spent: 1 of 1',
    });
  });

  test('HTTP refuses a foreign host, a foreign page, a wrong token, and a session', async () => {
    const ask = (headers: Record<string, string>, method = 'POST') => requestStatus(url(), { method, headers });
    const authorization = `Bearer ${TOKEN}`;
    expect(await ask({ authorization, host: 'evil.example' })).toBe(403);
    expect(await ask({ authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await ask({ authorization: 'Bearer other' })).toBe(401);
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization }, 'GET')).toBe(405);
  });
}

/** Status of the answer to an empty request. fetch would set the Host header itself. */
function requestStatus(
  target: string,
  options: { method: string; headers: Record<string, string> },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(target, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once('error', reject);
    sent.end();
  });
}
