import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, TOOLS } from '../../../cli/mcp/create-server.ts';
import { mayStart } from '../../../cli/mcp/may-start.ts';
import type { Session } from '../../../cli/mcp/session.ts';
import * as schema from '../../../db/schema.ts';
import { LONGEST_ANSWER } from '../../../domain/mcp/shorten.ts';
import { NOWHERE } from '../support/cli.ts';
import { sharedServer, type Lineage } from '../support/database.ts';
import { BASELINE, insertStory } from '../support/lineage.ts';

let lineage: Lineage;
let client: Client;

const sessionOn = (url: string, startable: Session['startable'] = ['lr-knob']): Session => ({
  startable,
  io: {
    env: { DATABASE_URL: url, TEMPORAL_ADDRESS: NOWHERE, PERPETUA_HOME: '/nonexistent' },
    stdout: { write: () => expect.unreachable('stdout belongs to the protocol') },
    stderr: { write: () => true },
  },
});

async function connect(session: Session): Promise<Client> {
  const [mine, its] = InMemoryTransport.createLinkedPair();
  await createServer(session).connect(its);
  const connected = new Client({ name: 'test', version: '1' });
  await connected.connect(mine);
  return connected;
}

beforeAll(async () => {
  lineage = await sharedServer().open();
  await insertStory(lineage.db, 'toy');
  await lineage.db.insert(schema.wantedRuns).values([
    { researchId: 'toy', kind: 'injected', candidateId: BASELINE, n: 5, proposal: { key: 'broken' } },
    { researchId: 'toy', kind: 'injected', candidateId: BASELINE, proposal: { key: 'waiting' } },
  ]);
  client = await connect(sessionOn(lineage.url));
});
afterAll(async () => {
  await client.close();
  await lineage.close();
});

async function call(name: string, args: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [text = '', ...notes] = (content as { text: string }[]).map((part) => part.text);
  return { text, notes, isError: isError === true, json: () => JSON.parse(text) as unknown };
}

describe('the tools that read', () => {
  test('return what the commands print', async () => {
    expect((await call('status')).json()).toMatchObject({ workflowId: 'toy', phase: 'running', best: { value: 1.5 } });
    expect((await call('log', { last: 2 })).text.split('\n').map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { n: 4, verdict: 'keep' },
      { n: 5, failure: 'exit-code' },
    ]);
    expect((await call('show', { trial: 'toy/4' })).json()).toMatchObject({ n: 4, hypothesis: 'LR 0.1 → 0.05' });
    expect((await call('diff', { trial: '4' })).text).toContain('-const LR = 0.1;\n+const LR = 0.05;');
    expect(await call('best').then(({ json, notes }) => [json(), notes])).toMatchObject([
      { value: 1.5, files: ['bin/run.sh', 'train.mjs'] },
      ['For a file: read perpetua://research/toy/best/PATH'],
    ]);
    expect((await call('tasks')).json()).toMatchObject({
      researches: [{ workflowId: 'toy' }],
      tasks: expect.arrayContaining([
        expect.objectContaining({ name: 'lr-knob', mayStart: true }),
        expect.objectContaining({ name: 'nano-lm', mayStart: false }),
      ]) as unknown,
    });
  });

  test('show no case that the evaluator keeps from proposers, and none without evaluator.feedback', async () => {
    const secret = 'the answer is 42';
    const cases = [
      { name: 'public', value: 1, text: 'too small' },
      { name: 'held', value: 2, text: secret, heldOut: true as const },
    ];
    await lineage.db
      .update(schema.trials)
      .set({ feedback: { cases, omitted: 0 } })
      .where(sql`id = 'toy/4'`);
    const shown = async () => [
      (await call('show', { trial: 'toy/4' })).text,
      (await call('read', { uri: 'perpetua://trial/toy/4' })).text,
    ];
    for (const text of await shown()) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('too small');
    }
    const evaluator = sql`jsonb_set(task, '{evaluator,feedback}', 'true')`;
    await lineage.db.update(schema.taskVersions).set({ task: evaluator });
    for (const text of await shown()) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('heldOut');
      expect(text).toContain('too small');
    }
  });

  test.each([
    ['perpetua://research/toy/task', 'name: toy'],
    ['perpetua://research/toy/best/train.mjs', 'const LR = 0.05;\n'],
    ['perpetua://trial/toy/5/files/train.mjs', 'const LR = 9;\n'],
  ])('read %s, as a resource too', async (uri, text) => {
    expect(await call('read', { uri })).toMatchObject({ text, notes: [], isError: false });
    expect(await client.readResource({ uri })).toMatchObject({ contents: [{ uri, text }] });
  });

  test('read a long text in parts', async () => {
    const first = await call('read', { uri: 'perpetua://skill' });
    const second = await call('read', { uri: 'perpetua://skill', offset: 100 });
    expect(first.text).toMatch(/^---\nname: perpetua\n/);
    expect(second.text).toBe(first.text.slice(100));
    expect(first.text.length).toBeLessThanOrEqual(LONGEST_ANSWER);
  });

  test('list the tasks of researches and the outputs of their last trials as resources', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'perpetua://skill',
      'perpetua://research/toy/task',
      ...[5, 4, 3, 2, 1].map((n) => `perpetua://trial/toy/${n}/log`),
    ]);
  });
});

describe('wait', () => {
  test('returns the end of the trial of a key', async () => {
    const { json } = await call('wait', { key: 'broken' });
    expect(json()).toMatchObject({ settled: true, trial: 'toy/5', status: 'crashed', failure: 'exit-code' });
  });

  test('returns what it knows once its time is over', async () => {
    expect((await call('wait', { key: 'waiting', seconds: 0 })).json()).toMatchObject({ settled: false, trial: null });
    expect((await call('wait', { n: 6, seconds: 0 })).json()).toMatchObject({ settled: false, trial: 'toy/6' });
  });

  test.each([
    [{}, 'Expected either key or n, to name one trial.'],
    [{ key: 'broken', n: 5 }, 'Expected either key or n, to name one trial.'],
    [{ key: 'unknown' }, 'Expected the key of an idea that was proposed to toy, got "unknown".'],
    [{ n: 99 }, 'Expected a trial of toy from 1 to 6, got 99.'],
    [{ research: 'tyo', n: 1 }, 'did you mean toy?'],
  ])('refuses %j in a sentence', async (args, message) => {
    const { isError, text } = await call('wait', args);
    expect(isError).toBe(true);
    expect(text).toContain(message);
  });
});

describe('propose refuses, before it sends anything,', () => {
  test.each([
    ['no file', { files: {}, hypothesis: 'h' }, 'files: expected at least one file'],
    ['no hypothesis', { files: { 'train.mjs': '' } }, 'hypothesis'],
    ['a diff in place of files', { diff: '--- a' }, 'diff'],
    ['an empty key', { files: { 'train.mjs': '' }, hypothesis: 'h', key: '' }, 'key'],
    [
      'large files',
      { files: { 'train.mjs': 'x'.repeat(2 ** 20 + 1) }, hypothesis: 'h' },
      'files: expected at most 1048576 bytes of mutable files in all, got 1048577',
    ],
  ])('%s', async (_, args, message) => {
    const { isError, text } = await call('propose', args);
    expect(text).toContain(message);
    expect(isError).toBe(true);
  });
});

describe('words of an agent', () => {
  test.each([
    ['show', { trial: '--help' }, 'Expected a trial like nano-lm/12, got "--help".'],
    ['status', { research: '--json' }, 'Expected the id of a research'],
    ['log', { research: '-f' }, 'Expected the id of a research'],
    ['note', { research: 'toy', text: '--now' }, 'Cannot reach Temporal'],
    ['start', { task: 'lr-knob', set: ['--git'] }, 'key=value'],
    ['start', { task: '--allow-start' }, 'Expected a task that this server may start (lr-knob)'],
    ['status', { reserch: 'toy' }, 'reserch'],
    ['read', { uri: 'file:///etc/passwd' }, 'Expected a URI like one of perpetua://skill'],
    ['read', { uri: 'perpetua://trial/toy/4/files/..%2Fsecret' }, 'Expected one of the files train.mjs'],
  ])('are never options: %s %j', async (name, args, message) => {
    const { isError, text } = await call(name, args);
    expect(text).toContain(message);
    expect(isError).toBe(true);
  });
});

test('a tool that changes something says so to the client', async () => {
  const { tools } = await client.listTools();
  const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
  expect(changing.sort()).toEqual(['note', 'pause', 'propose', 'resume', 'start']);
  expect(tools).toHaveLength(TOOLS.length);
});

test('a task may be named as the server was started with it', () => {
  const on = (startable: Session['startable'], name: string): boolean => mayStart({ startable }, [name]);
  expect(on('any', 'x')).toBe(true);
  expect(on([], 'x')).toBe(false);
  expect(on(['x'], 'x')).toBe(true);
  expect(on(['tasks/x/'], './tasks/x')).toBe(true);
  expect(on(['x'], './x')).toBe(false);
  expect(on(['tasks/x'], 'tasks/../tasks/x/../y')).toBe(false);
});
