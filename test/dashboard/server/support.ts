import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { ensureSecret, type Secret } from '../../../config/dashboard/secret.ts';
import type { Settings } from '../../../config/dashboard/settings.ts';
import { readerAddress } from '../../../db/reader/reader-address.ts';
import type { AnyRoute } from '../../../dashboard/server/route.ts';
import type { SteerOptions } from '../../../dashboard/server/steer/serve-steering.ts';
import type { ReadBacklog } from '../../../dashboard/server/source/temporal-watch.ts';
import { createDashboard } from '../../../dashboard/server/serve.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}
export interface RequestOptions {
  body?: string;
  method?: string;
  headers?: Record<string, string>;
}

/** Sends one request with exactly these headers; returns the answer. */
export async function sendRequest(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: RequestOptions = {},
): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() };
}

export interface Served {
  home: string;
  port: number;
  secret: Secret;
  /** Path of a resource behind the secret: `/<secret>/<path>`. */
  secretPath: (path: string) => string;
  cookie: { cookie: string };
  /** Sends a GET request with the cookie. */
  get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  /** Errors that the dashboard reported. */
  reportedErrors: string[];
  /** Settings, which a test may change to move the database. */
  settings: Settings;
}

type Given = Partial<Settings> & {
  /** Access to Temporal, for a page that may steer. */
  steerBy?: SteerOptions;
  /** URL of the database's owner; the dashboard gets the URL of the reading role. */
  databaseUrl?: string;
  readBacklog?: ReadBacklog;
};

/** Serves dashboards in this process, with a small page; all of them end with the test. */
export function useDashboard(): (given?: Given, routes?: readonly AnyRoute[]) => Promise<Served> {
  const closes: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close();
  });
  return async ({ databaseUrl, steerBy, readBacklog, ...given } = {}, routes) => {
    const home = await mkdtemp(join(tmpdir(), 'perpetua-dashboard-'));
    closes.push(() => rm(home, { recursive: true, force: true }));
    const page = join(home, 'page');
    await mkdir(join(page, 'parts'), { recursive: true });
    await writeFile(join(page, 'index.html'), '<!doctype html><title>shell</title>');
    await writeFile(join(page, 'parts', 'page.js'), `// ${'a word '.repeat(500)}`);
    await writeFile(join(page, 'secret.key'), 'not of the page');
    const readUrl = databaseUrl === undefined ? null : (await readerAddress(databaseUrl)).url;
    const settings: Settings = {
      host: '127.0.0.1',
      port: 0,
      allowHosts: [],
      readUrl,
      steer: false,
      temporal: null,
      ...given,
    };
    const secret = ensureSecret(home);
    const reportedErrors: string[] = [];
    const options = {
      home,
      secret,
      page,
      settings: () => settings,
      ...(routes ? { routes } : {}),
      ...(steerBy && { steer: steerBy }),
      ...(readBacklog ? { readBacklog } : {}),
    };
    const { port, close } = await createDashboard({ ...options, onError: (message) => reportedErrors.push(message) });
    closes.push(close);
    const secretPath = (path: string) => `/${secret.path}/${path}`;
    const cookie = { cookie: `perpetua=${secret.token}` };
    const get = (path: string, headers = {}) =>
      sendRequest(port, secretPath(path), { headers: { ...cookie, ...headers } });
    return { home, port, secret, secretPath, cookie, get, reportedErrors, settings };
  };
}
