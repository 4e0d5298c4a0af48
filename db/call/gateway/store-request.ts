import { sql } from 'drizzle-orm';
import type { CallRequest, CallRole } from '../../../domain/gateway/call.ts';
import { identityOf, numberParts, partsOf, splitRequest } from '../../../domain/gateway/stored/split-request.ts';
import type { Tx } from '../../connect.ts';
import { callParts } from '../../schema.ts';
import { compress, hashText } from './compress.ts';

interface Owner {
  trialId: string;
  role: CallRole;
}

interface Stored {
  /** Part that holds the request. */
  part: number;
  /** True if the caller sent an equal request before. */
  isKnown: boolean;
}

/** Stores a request as parts. Parts that the caller's earlier requests had stay. The caller holds the trial's lock. */
export async function storeRequest(
  tx: Tx,
  { request, ...owner }: Owner & { request: Pick<CallRequest, 'path' | 'streams' | 'body'> },
): Promise<Stored> {
  const split = splitRequest(request);
  const texts = new Map(partsOf(split).map((text) => [text, hashText(text)]));
  const { numbers, next } = await findParts(tx, owner, [...texts.values()]);
  const added: { n: number; hash: string; text: string }[] = [];
  for (const [text, hash] of texts) {
    if (numbers.has(hash)) continue;
    const n = next + added.length;
    numbers.set(hash, n);
    added.push({ n, hash, text });
  }
  const numberOf = (text: string): number => numbers.get(texts.get(text) ?? '') ?? 0;
  const numbered = numberParts(split, numberOf);
  const frame = JSON.stringify(numbered);
  const hash = hashText(identityOf(numbered));
  // A request with a new part is new itself.
  const known = added.length > 0 ? undefined : (await findParts(tx, owner, [hash])).numbers.get(hash);
  if (known !== undefined) return { part: known, isKnown: true };
  const part = next + added.length;
  const rows = [...added, { n: part, hash, text: frame }].map(async ({ text, ...row }) => ({
    ...owner,
    ...row,
    body: await compress(text),
  }));
  await tx.insert(callParts).values(await Promise.all(rows));
  return { part, isKnown: false };
}

/** Numbers of stored parts by their hash, and the number of the next part. */
async function findParts(
  tx: Tx,
  { trialId, role }: Owner,
  hashes: string[],
): Promise<{ numbers: Map<string, number>; next: number }> {
  const { rows } = await tx.execute<{ numbers: Record<string, number>; next: number }>(sql`
    select coalesce(json_object_agg(hash, n) filter (where hash is not null), '{}') as numbers,
      (select coalesce(max(n), -1) + 1 from call_parts
        where trial_id = ${trialId} and role = ${role} and n >= 0) as next
    from call_parts
    where trial_id = ${trialId} and role = ${role} and hash = any(${sql.param(hashes)}::text[])`);
  return { numbers: new Map(Object.entries(rows[0]?.numbers ?? {})), next: rows[0]?.next ?? 0 };
}
