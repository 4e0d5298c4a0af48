import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createServer } from '../../../cli/mcp/create-server.ts';
import * as schema from '../../../db/schema.ts';
import { NOWHERE } from '../support/cli.ts';
import { startServer } from '../support/database.ts';
import { insertStory } from '../support/lineage.ts';

test('a wait goes on over a restart of Postgres', async () => {
  const postgres = await startServer();
  const lineage = await postgres.open();
  await insertStory(lineage.db, 'toy');
  const env = { DATABASE_URL: lineage.url, TEMPORAL_ADDRESS: NOWHERE, PERPETUA_HOME: '/nonexistent' };
  const [mine, its] = InMemoryTransport.createLinkedPair();
  const io = { env, stdout: { write: () => true }, stderr: { write: () => true } };
  await createServer({ startable: [], io }).connect(its);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(mine);
  const progress: string[] = [];
  const waiting = client.callTool({ name: 'wait', arguments: { n: 6, until: 'outcome', seconds: 600 } }, undefined, {
    timeout: 700_000,
    onprogress: ({ message = '' }) => progress.push(message),
  });
  await expect.poll(() => progress).toEqual(['Trial toy/6 is under way: queued.']);
  await postgres.halt();
  await expect.poll(() => progress.at(-1)).toBe('Postgres does not answer; waiting for it');
  await postgres.restart();
  await expect.poll(() => progress.at(-1)).toBe('Trial toy/6 is under way: queued.');
  const ended = { status: 'completed' as const, value: 1.4, trusted: true, endedAt: new Date() };
  await lineage.db.update(schema.trials).set(ended).where(eq(schema.trials.id, 'toy/6'));
  const { content } = await waiting;
  expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toMatchObject({ settled: true, value: 1.4 });
  await client.close();
  await lineage.close();
  await postgres.stop();
});
