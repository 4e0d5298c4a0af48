import type { HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { errorChain } from '../../db/postgres-unreachable.ts';
import type { Secret } from '../../config/dashboard/secret.ts';
import { problemResponse, errorProblem } from './answer/problems.ts';
import { serveRoute, type AnswerDeps } from './answer/serve-route.ts';
import { requireCookie } from './access/require-cookie.ts';
import { enter } from './access/enter.ts';
import { requireKnownHost } from './access/require-known-host.ts';
import type { Hub } from './live/hub.ts';
import { serveStream } from './live/stream.ts';
import { servePage } from './page/serve-page.ts';
import type { AnyRoute } from './route.ts';
import { plain } from './access/plain.ts';
import { isSteerRequest, serveSteering, type SteerOptions } from './steer/serve-steering.ts';

export interface AppOptions extends AnswerDeps {
  secret: Secret;
  isOurs: (host: string) => boolean;
  hub: Hub;
  routes: readonly AnyRoute[];
  /** Access to Temporal; null: the page has no way to write. */
  steer: SteerOptions | null;
  /** Folder of the built page. */
  page: string;
  /** Receives internal errors. Messages never have the path of a request, since it contains the secret. */
  onError: (message: string) => void;
}

/** Headers of every answer. An answer that sets one of them itself keeps its value. */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; base-uri 'self'; object-src 'none'; frame-src 'none'; " +
    "form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const headers: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
};

const READS = new Set(['GET', 'HEAD']);

/** Refuses every method but GET and HEAD, except for messages of a page that may steer. */
const requireReadMethod =
  (steer: SteerOptions | null): MiddlewareHandler =>
  async (c, next) => {
    if (READS.has(c.req.method) || (steer !== null && isSteerRequest(c))) return next();
    c.header('allow', 'GET, HEAD');
    return plain(c, 405, 'The dashboard only reads: GET and HEAD.');
  };

/** Builds the server's app. The order matters: every check of access comes before the resources. */
export function createApp(options: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const { secret, hub } = options;
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(headers);
  app.use(requireKnownHost(options.isOurs));
  app.use(requireReadMethod(options.steer));
  app.get('/:secretPath/enter/:token', enter(secret));
  app.use(requireCookie(secret));
  // Every request below has the cookie and the secret path.
  app.use(compress());
  app.get('/:secretPath/api/v1/stream', serveStream(hub));
  serveSteering(app, options);
  for (const route of options.routes) app.get(`/:secretPath/api/v1/${route.path}`, serveRoute(route, options));
  app.all('/:secretPath/api/*', (c) => problemResponse(c, { code: 'not-found', error: 'There is no such resource.' }));
  app.get('*', servePage(options.page, secret.path));
  app.onError((error, c) => {
    const problem = errorProblem(error);
    if (problem.code === 'failed')
      options.onError(
        errorChain(error)
          .map((cause) => cause.stack ?? cause.message)
          .join('\ncaused by '),
      );
    return problemResponse(c, problem);
  });
  return app;
}
