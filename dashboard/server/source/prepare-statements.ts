import { randomBytes } from 'node:crypto';
import type pg from 'pg';

interface Config {
  text: string;
  name?: string | undefined;
}
type Query = (config: string | Config, values?: unknown[]) => Promise<unknown>;

/** Most statements that a connection keeps. Pages have a few hundred texts; further ones are planned each time. */
const MOST = 500;
/** Codes for a statement whose tables a migration has changed, and for one that a pooler dropped. */
const OUTDATED = new Set(['0A000', '26000']);

/**
 * Makes a connection keep its statements with their plans. Pages repeat the same texts with other values, and Postgres
 * takes longer to parse and plan most of them than to run them.
 */
export function prepareStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as Query;
  // A pooler that does not reset its sessions may hand over one with the statements of another connection.
  const prefix = randomBytes(6).toString('hex');
  const names = new Map<string, string>();
  let made = 0;
  const nameOf = (text: string): string | undefined => {
    if (!names.has(text) && names.size < MOST) names.set(text, `${prefix}_${(made += 1)}`);
    return names.get(text);
  };
  const prepared = async ({ text, ...config }: Config, values: unknown[]): Promise<unknown> => {
    try {
      return await query({ ...config, text, name: nameOf(text) }, values);
    } catch (error) {
      // The next read of the text prepares it again, by another name.
      if (OUTDATED.has((error as { code?: string }).code ?? '')) names.delete(text);
      throw error;
    }
  };
  const preparing: Query = (config, values) => {
    sendAtOnce(client);
    return typeof config === 'object' && Array.isArray(values) ? prepared(config, values) : query(config, values);
  };
  client.query = preparing as typeof client.query;
}

/** Sends all statements of a turn of the event loop in one write: a write takes longer than most statements. */
function sendAtOnce(client: pg.PoolClient): void {
  const { stream } = client.connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
