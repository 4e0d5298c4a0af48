import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Secret } from '../../../config/dashboard/secret.ts';
import { plain } from './plain.ts';
import { equalSecrets } from './equal-secrets.ts';

const NAME = 'perpetua';
const HOW = 'This is a Perpetua dashboard, and you are not let in yet. Run `npx perpetua dashboard` on its machine.';

/** Lets in who has the cookie and knows the path; all others hear the same, whatever they asked for. */
export const requireCookie =
  (secret: Secret): MiddlewareHandler =>
  async (c, next) => {
    const knowsPath = equalSecrets(secretPathIn(c), secret.path);
    const hasCookie = equalSecrets(getCookie(c, NAME) ?? '', secret.token);
    return knowsPath && hasCookie ? next() : refuseAccess(c);
  };

/** The first part of the path, below which all lives. */
export const secretPathIn = (c: Context): string => c.req.path.split('/')[1] ?? '';

export const refuseAccess = (c: Context): Response => plain(c, 401, HOW);

/** Scoped to the path: a cookie knows no port, and other programs of this machine get none of ours. */
export const setAccessCookie = (c: Context, { path, token }: Secret): void =>
  setCookie(c, NAME, token, { path: `/${path}/`, httpOnly: true, sameSite: 'Strict', maxAge: 180 * 24 * 3600 });
