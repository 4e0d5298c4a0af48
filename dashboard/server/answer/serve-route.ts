import type { Context, Handler } from 'hono';
import type { PageCaches } from '../../../db/reads/page/page-caches.ts';
import type { DatabaseSource } from '../source/database-source.ts';
import type { AnyRoute } from '../route.ts';
import { etagOf } from '../page/assets.ts';
import { problemResponse, refusal, findNulProblem } from './problems.ts';
import { respondNotModified } from './respond-not-modified.ts';

export interface Answering {
  home: string;
  source: DatabaseSource;
  kept: PageCaches;
  now: () => Date;
}

/** Turns a route into an answer: refused input, nothing there, or JSON. Errors are the app's. */
export const serveRoute =
  (route: AnyRoute, { home, source, kept, now }: Answering): Handler =>
  async (c) => {
    const given = inputOf(c);
    const unstorable = findNulProblem(given);
    if (unstorable) return problemResponse(c, unstorable);
    const input = route.input.safeParse(given);
    if (!input.success) return problemResponse(c, refusal(input.error));
    const deps = { home, now: now() };
    const data =
      route.needs === 'home'
        ? await route.read(deps, input.data)
        : await source.read((db) => route.read({ ...deps, db, kept, temporal: source.temporal() }, input.data));
    if (data === undefined) return problemResponse(c, { code: 'not-found', error: 'There is no such thing here.' });
    const body = JSON.stringify(data);
    return (
      respondNotModified(c, etagOf(withoutMoment(data))) ??
      c.body(body, 200, { 'content-type': 'application/json; charset=utf-8' })
    );
  };

/** The path's parameters and the query; a key that was given twice has no value that would fit. */
function inputOf(c: Context): Record<string, string | string[]> {
  const queries = Object.entries(c.req.queries()).map(([key, values]) => [
    key,
    values.length === 1 ? values[0] : values,
  ]);
  const parameters = Object.entries(c.req.param()).filter(([key]) => key !== 'door');
  return Object.fromEntries([...queries, ...parameters]) as Record<string, string | string[]>;
}

/** An answer that differs in its moment alone says nothing new. */
const withoutMoment = (data: unknown): string =>
  JSON.stringify(typeof data === 'object' && data !== null ? { ...data, now: undefined } : data);
