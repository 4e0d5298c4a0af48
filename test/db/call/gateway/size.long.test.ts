import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readBodies } from '../../../../db/call/gateway/read-bodies.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import type { CallRequest, Protocol } from '../../../../domain/gateway/call.ts';
import { insertTrials, useDatabase } from '../../support.ts';
import { answered, openLedger, turnOf } from './support.ts';

const bench = useDatabase();
const TURNS = 50;
const CHARACTERS = 300_000;

const random = createRandom(7);
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/';
/** Text that compresses as badly as random base64. */
const noise = (length: number): string => Array.from({ length }, () => LETTERS[random.below(LETTERS.length)]).join('');

const tools = Array.from({ length: 20 }, (_, n) => ({ name: `tool${n}`, description: noise(1000) }));

/** Requests of a conversation that grows to 300 kB, in the form of a protocol. */
const SHAPES: Partial<Record<Protocol, (messages: string[]) => object>> = {
  responses: (messages) => ({ model: 'm', tools, instructions: tools[0], input: messages.map((text) => ({ text })) }),
  messages: (messages) => ({
    model: 'm',
    system: [{ type: 'text', text: tools[1]?.description }],
    tools,
    // Agents move the mark of the cache to the last message.
    messages: messages.map((text, index) => ({
      role: 'user',
      content: [{ type: 'text', text, ...(index === messages.length - 1 && { cache_control: { type: 'ephemeral' } }) }],
    })),
  }),
};

test.each(Object.keys(SHAPES) as Protocol[])(
  '50 turns of a conversation that grows to 300 kB take at most 1 MB, and are read as they were sent: %s',
  async (protocol) => {
    await insertTrials(bench.db, protocol, 1);
    const trialId = `${protocol}/1`;
    const ledger = openLedger(bench.store, trialId);
    const messages: string[] = [];
    const sent: string[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      messages.push(noise((CHARACTERS - 22_000) / TURNS));
      const body = JSON.stringify(SHAPES[protocol]?.(messages));
      const request: CallRequest = { protocol, path: '/v1/x', model: 'm', streams: false, body };
      sent.push(body);
      await ledger.end(turnOf(await ledger.begin(request)), answered({ body: noise(500) }));
    }
    expect(sent.at(-1)?.length).toBeGreaterThan(295_000);
    const { rows } = await bench.db.execute<{ bytes: number }>(sql`
      select (select sum(pg_column_size(call_parts.*)) from call_parts where trial_id = ${trialId})::int
        + (select sum(pg_column_size(calls.*)) from calls where trial_id = ${trialId})::int as bytes`);
    expect(rows[0]?.bytes).toBeLessThanOrEqual(1_000_000);
    const turns = sent.map((_, turn) => turn);
    const stored = await bench.db.execute<{ turn: number; requestPart: number }>(
      sql`select turn, request_part as "requestPart" from calls where trial_id = ${trialId} order by turn`,
    );
    const read = await readBodies(bench.db, { trialId, role: 'proposer', rows: stored.rows });
    expect(read.map(({ turn }) => turn)).toEqual(turns);
    expect(read.map(({ request }) => request)).toEqual(sent.map((body) => JSON.parse(body) as unknown));
  },
);
