import { sql } from 'drizzle-orm';
import type { CallRole } from '../../../domain/gateway/call.ts';
import { joinRequest, type StoredRequest } from '../../../domain/gateway/stored/split-request.ts';
import type { Tx } from '../../connect.ts';
import type { Call } from '../call.ts';
import { decompress } from './compress.ts';

/** Bodies of a call through the gateway; null: none came, or it was removed. */
export interface CallBodies {
  path: string | null;
  streams: boolean;
  /** Body of the request; its text if it is no JSON object. */
  request: unknown;
  answer: string | null;
}

type Row = Pick<Call, 'turn' | 'requestPart'>;

/** Texts of a caller's parts, by number. Parts of a proposer come from the view that a page may read. */
async function readParts(db: Tx, { trialId, role }: { trialId: string; role: CallRole }): Promise<Map<number, string>> {
  const from =
    role === 'proposer'
      ? sql`proposer_call_parts where trial_id = ${trialId}`
      : sql`call_parts where trial_id = ${trialId} and role = ${role}`;
  const { rows } = await db.execute<{ n: number; body: Buffer }>(sql`select n, body from ${from} order by n desc`);
  const parts = new Map<number, string>();
  let room = MOST_BYTES;
  // One after the other, so that the parts of a trial together have a limit.
  for (const { n, body } of rows) {
    const text = await decompress(body, Math.min(room, MOST_PART_BYTES));
    room -= text === null ? 0 : Buffer.byteLength(text);
    // The text of a request is JSON.
    parts.set(n, text ?? (n < 0 ? TOO_LARGE : JSON.stringify(TOO_LARGE)));
  }
  return parts;
}

/** Most bytes of one part, and of all parts of a caller in a trial, that are read: they are held in memory. */
const MOST_PART_BYTES = 8 * 1024 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;
/** Text in place of a part beyond the limits. */
const TOO_LARGE = '(not shown: it is too large)';

/** Bodies of one caller's calls through the gateway, in the order of the rows. */
export async function readBodies<R extends Row>(
  db: Tx,
  { rows, ...caller }: { trialId: string; role: CallRole; rows: readonly R[] },
): Promise<(R & CallBodies)[]> {
  const parts = rows.length === 0 ? new Map<number, string>() : await readParts(db, caller);
  const values = new Map<number, unknown>();
  const valueOf = (part: number): unknown => {
    if (!values.has(part)) values.set(part, parse(parts.get(part)));
    return values.get(part);
  };
  return rows.map((row) => ({ ...row, ...requestOf(row, valueOf), answer: parts.get(-1 - row.turn) ?? null }));
}

function requestOf(
  { requestPart }: Row,
  valueOf: (part: number) => unknown,
): Pick<CallBodies, 'path' | 'streams' | 'request'> {
  const stored = requestPart === null ? undefined : (valueOf(requestPart) as StoredRequest | string | undefined);
  if (stored === undefined) return { path: null, streams: false, request: null };
  if (typeof stored === 'string') return { path: null, streams: false, request: stored };
  return { path: stored.path, streams: stored.streams, request: joinRequest(stored, valueOf) };
}

const parse = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));
