import type pg from 'pg';

type Config = { text: string; name?: string | undefined };
type Query = (config: string | Config, values?: unknown[]) => Promise<unknown>;

/** Most statements that a connection keeps. The texts of pages are some hundreds; others are parsed each time. */
const MOST = 500;

/**
 * Makes a connection keep the plans of its statements: a page repeats the same texts with other values, and Postgres
 * takes longer to parse and plan most of them than to run them.
 */
export function prepareStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as Query;
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MOST) return known;
    const name = `page_${names.size}`;
    names.set(text, name);
    return name;
  };
  const preparing: Query = (config, values) =>
    typeof config === 'object' && values !== undefined && config.name === undefined
      ? query({ ...config, name: nameOf(config.text) }, values)
      : query(config, values);
  client.query = preparing as typeof client.query;
}
