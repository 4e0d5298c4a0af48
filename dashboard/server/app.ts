import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { causesOf } from '../../db/away.ts';
import type { Secret } from '../../config/dashboard/secret.ts';
import { problem, problemOf } from './answer/problems.ts';
import { serveRoute, type Answering } from './answer/serve-route.ts';
import { cookieDoor } from './doors/cookie.ts';
import { enter } from './doors/enter.ts';
import { headers } from './doors/headers.ts';
import { hostDoor } from './doors/host.ts';
import { methodDoor } from './doors/method.ts';
import type { Hub } from './live/hub.ts';
import { serveStream } from './live/stream.ts';
import { servePage } from './page/serve-page.ts';
import type { AnyRoute } from './route.ts';

export interface AppOptions extends Answering {
  secret: Secret;
  isOurs: (host: string) => boolean;
  hub: Hub;
  routes: readonly AnyRoute[];
  /** Folder of the built page. */
  page: string;
  /** Hears of what went wrong inside; never a path of a request, which has a secret in it. */
  onError: (message: string) => void;
}

/** All that is answered, and in which order it is asked who is there. */
export function createApp(options: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const { secret, hub } = options;
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(headers);
  app.use(hostDoor(options.isOurs));
  app.use(methodDoor);
  app.get('/:door/enter/:token', enter(secret));
  app.use(cookieDoor(secret));
  // From here on the door is ours.
  app.use(compress());
  app.get('/:door/api/v1/stream', serveStream(hub));
  for (const route of options.routes) app.get(`/:door/api/v1/${route.path}`, serveRoute(route, options));
  app.all('/:door/api/*', (c) => problem(c, { code: 'not-found', error: 'There is no such resource.' }));
  app.get('*', servePage(options.page, secret.path));
  app.onError((error, c) => {
    const told = problemOf(error);
    if (told.code === 'failed')
      options.onError(
        causesOf(error)
          .map((cause) => cause.stack ?? cause.message)
          .join('\ncaused by '),
      );
    return problem(c, told);
  });
  return app;
}
