import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Secret } from '../../../config/dashboard/secret.ts';
import { plain } from './plain.ts';
import { equalSecrets } from './equal-secrets.ts';

const NAME = 'perpetua';
const HOW = 'This Perpetua dashboard opens only by its link. To get it, run `npx perpetua dashboard` on its machine.';

/** Requires the cookie and the secret path. Other requests all get the same 401, which reveals no resource. */
export const requireCookie =
  (secret: Secret): MiddlewareHandler =>
  async (c, next) => {
    const knowsPath = equalSecrets(secretPathIn(c), secret.path);
    const hasCookie = equalSecrets(getCookie(c, NAME) ?? '', secret.token);
    return knowsPath && hasCookie ? next() : refuseAccess(c);
  };

/** The first segment of the request's path. All resources are below the secret one. */
export const secretPathIn = (c: Context): string => c.req.path.split('/')[1] ?? '';

export const refuseAccess = (c: Context): Response => plain(c, 401, HOW);

/** Sets the cookie for the secret path only. Cookies ignore ports, so other servers on this host would receive it. */
export const setAccessCookie = (c: Context, { path, token }: Secret): void =>
  setCookie(c, NAME, token, { path: `/${path}/`, httpOnly: true, sameSite: 'Strict', maxAge: 180 * 24 * 3600 });
