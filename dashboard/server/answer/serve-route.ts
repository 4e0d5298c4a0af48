import type { Context, Handler } from 'hono';
import type { PageCaches } from '../../../db/reads/page/page-caches.ts';
import type { TemporalWatch } from '../source/temporal-watch.ts';
import type { DatabaseSource } from '../source/database-source.ts';
import type { AnyRoute } from '../route.ts';
import { etagOf } from '../page/assets.ts';
import { problemResponse, refusal, findNulProblem } from './problems.ts';
import { respondNotModified } from './respond-not-modified.ts';

export interface AnswerDeps {
  home: string;
  source: DatabaseSource;
  caches: PageCaches;
  watch: TemporalWatch;
  now: () => Date;
}

/** Serves a route: 400 for invalid input, 404 for `undefined`, otherwise JSON. The app's `onError` handles errors. */
export const serveRoute =
  (route: AnyRoute, { home, source, caches, watch, now }: AnswerDeps): Handler =>
  async (c) => {
    const parameters = inputOf(c);
    const unstorable = findNulProblem(parameters);
    if (unstorable) return problemResponse(c, unstorable);
    const input = route.input.safeParse(parameters);
    if (!input.success) return problemResponse(c, refusal(input.error));
    const deps = { home, now: now() };
    const data =
      route.needs === 'home'
        ? await route.read(deps, input.data)
        : await source.read((db) =>
            route.read({ ...deps, db, caches, lookAtTemporal: watch.look, temporal: source.temporal() }, input.data),
          );
    if (data === undefined) return problemResponse(c, { code: 'not-found', error: 'There is no such thing here.' });
    const body = JSON.stringify(data);
    return (
      respondNotModified(c, etagOf(encodeWithoutNow(data))) ??
      c.body(body, 200, { 'content-type': 'application/json; charset=utf-8' })
    );
  };

/** Reads the parameters of the path and the query. A key that was given twice has an array, which no schema accepts. */
function inputOf(c: Context): Record<string, string | string[]> {
  const queries = Object.entries(c.req.queries()).map(([key, values]) => [
    key,
    values.length === 1 ? values[0] : values,
  ]);
  const parameters = Object.entries(c.req.param()).filter(([key]) => key !== 'secretPath');
  return Object.fromEntries([...queries, ...parameters]) as Record<string, string | string[]>;
}

/** Encodes an answer without its `now`, so that an answer that differs in `now` only keeps its ETag. */
const encodeWithoutNow = (data: unknown): string =>
  JSON.stringify(typeof data === 'object' && data !== null ? { ...data, now: undefined } : data);
