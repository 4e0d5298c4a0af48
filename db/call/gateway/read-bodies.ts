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
  const { rows } = await db.execute<{ n: number; body: Buffer }>(sql`select n, body from ${from}`);
  return new Map(await Promise.all(rows.map(async ({ n, body }) => [n, await decompress(body)] as const)));
}

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
  const stored = requestPart === null ? undefined : (valueOf(requestPart) as StoredRequest | undefined);
  if (stored === undefined) return { path: null, streams: false, request: null };
  return { path: stored.path, streams: stored.streams, request: joinRequest(stored, valueOf) };
}

const parse = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));
