import type { Context, Handler } from 'hono';
import { accepts } from 'hono/accepts';
import type { PageCaches } from '../../../db/reads/page/page-caches.ts';
import type { TemporalWatch } from '../source/temporal-watch.ts';
import type { DatabaseSource } from '../source/database-source.ts';
import type { AnyRoute } from '../route.ts';
import { encodeAnswer, type EncodedAnswer } from './encode-answer.ts';
import { problemResponse, refusal, findNulProblem } from './problems.ts';
import { respondNotModified } from './respond-not-modified.ts';
import type { ShareAnswers } from './share-answers.ts';

export interface AnswerDeps {
  home: string;
  source: DatabaseSource;
  caches: PageCaches;
  watch: TemporalWatch;
  /** Shares the answers of routes that read the database; undefined: there is no such thing. */
  share: ShareAnswers<EncodedAnswer | undefined>;
  now: () => Date;
}

/** Bytes below which a compressed answer is not worth its cost. */
const LARGE = 1024;

/** Serves a route: 400 for invalid input, 404 for `undefined`, otherwise JSON. The app's `onError` handles errors. */
export const serveRoute =
  (route: AnyRoute, { home, source, caches, watch, share, now }: AnswerDeps): Handler =>
  async (c) => {
    const parameters = inputOf(c);
    const unstorable = findNulProblem(parameters);
    if (unstorable) return problemResponse(c, unstorable);
    const input = route.input.safeParse(parameters);
    if (!input.success) return problemResponse(c, refusal(input.error));
    const read = async (): Promise<EncodedAnswer | undefined> => {
      const deps = { home, now: now() };
      const data =
        route.needs === 'home'
          ? await route.read(deps, input.data)
          : await source.read((db) =>
              route.read({ ...deps, db, caches, lookAtTemporal: watch.look, temporal: source.temporal() }, input.data),
            );
      return data === undefined ? undefined : encodeAnswer(data);
    };
    const key = JSON.stringify([route.path, input.data]);
    const answer = await (route.needs === 'home' ? read() : share(key, read));
    if (answer === undefined) return problemResponse(c, { code: 'not-found', error: 'There is no such thing here.' });
    return respondNotModified(c, answer.etag) ?? respond(c, answer);
  };

/** Sends an answer, compressed if the client accepts gzip. */
async function respond(c: Context, { text, etag, gzipped }: EncodedAnswer): Promise<Response> {
  const headers = { 'content-type': 'application/json; charset=utf-8', vary: 'Accept-Encoding' };
  const isAccepted = accepts(c, { header: 'Accept-Encoding', supports: ['gzip'], default: '' }) === 'gzip';
  if (text.length < LARGE || !isAccepted) return c.body(text, 200, headers);
  return c.body(await gzipped(), 200, { ...headers, etag: `W/${etag}`, 'content-encoding': 'gzip' });
}

/** Reads the parameters of the path and the query. A key that was given twice has an array, which no schema accepts. */
function inputOf(c: Context): Record<string, string | string[]> {
  const queries = Object.entries(c.req.queries()).map(([key, values]) => [
    key,
    values.length === 1 ? values[0] : values,
  ]);
  const parameters = Object.entries(c.req.param()).filter(([key]) => key !== 'secretPath');
  return Object.fromEntries([...queries, ...parameters]) as Record<string, string | string[]>;
}
