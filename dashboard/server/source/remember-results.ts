import type pg from 'pg';

type Query = (config: string | { text: string; values?: unknown[] }, values?: unknown[]) => Promise<unknown>;

/**
 * Makes a connection answer equal statements of a transaction from the first result. The transactions of pages are
 * repeatable reads, in which equal statements have equal results, and parts of a page read the same rows.
 */
export function rememberResults(client: pg.PoolClient): void {
  const query = client.query.bind(client) as Query;
  let results: Map<string, Promise<unknown>> | null = null;
  const remembering: Query = (config, values) => {
    const text = typeof config === 'string' ? config : config.text;
    if (/^(begin|commit|rollback)\b/i.test(text)) {
      results = /^begin\b.*repeatable read read only/i.test(text) ? new Map() : null;
      return query(config, values);
    }
    if (results === null || typeof config === 'function' || typeof values === 'function') return query(config, values);
    const key = JSON.stringify([config, values]);
    const known = results.get(key);
    if (known) return known;
    const result = query(config, values);
    results.set(key, result);
    return result;
  };
  client.query = remembering as typeof client.query;
}
