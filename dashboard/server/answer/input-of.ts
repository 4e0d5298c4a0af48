import type { Context } from 'hono';

/** The path's parameters and the query; a key that was given twice has no value that would fit. */
export function inputOf(c: Context): Record<string, string | string[]> {
  const queries = Object.entries(c.req.queries()).map(([key, values]) => [
    key,
    values.length === 1 ? values[0] : values,
  ]);
  const parameters = Object.entries(c.req.param()).filter(([key]) => key !== 'door');
  return Object.fromEntries([...queries, ...parameters]) as Record<string, string | string[]>;
}
