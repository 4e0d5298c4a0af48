import pg from 'pg';

/** Runs statements one after the other on a new connection. Returns the rows of the last one. */
export async function query<R extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: R[] = [];
    for (const statement of statements) rows = (await client.query<R>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** The same server and database for another user. */
export function urlAs(url: string, [username, password]: [string, string]): string {
  return Object.assign(new URL(url), { username, password }).href;
}
