import type { MiddlewareHandler } from 'hono';
import { STEER_HEADER } from '../../api/steer/steer-header.ts';
import { equalSecrets } from '../access/equal-secrets.ts';
import { problemResponse } from '../answer/problems.ts';

/**
 * Requires that the page itself sends the request. Browsers send `Origin` with each POST, and `Sec-Fetch-Site` with
 * each request to a trustworthy address. The Host header has been checked before, so equality with it suffices.
 */
export const requireSamePage =
  ({ needsOrigin }: { needsOrigin: boolean }): MiddlewareHandler =>
  async (c, next) => {
    const site = c.req.header('sec-fetch-site');
    const origin = c.req.header('origin');
    const isForeign = site !== undefined && site !== 'same-origin';
    const isSame = origin === undefined ? !needsOrigin : hostIn(origin) === (c.req.header('host') ?? '').toLowerCase();
    if (!isForeign && isSame) return next();
    return problemResponse(c, { code: 'forbidden', error: 'Only the page of this dashboard may steer.' });
  };

/** Requires the token of this process, which another site cannot read. */
export const requireToken =
  (token: string): MiddlewareHandler =>
  async (c, next) =>
    equalSecrets(c.req.header(STEER_HEADER) ?? '', token)
      ? next()
      : problemResponse(c, {
          code: 'forbidden',
          error: `Expected the token of this page in the header ${STEER_HEADER}. Load the page again.`,
        });

/** Host and port of an origin; null for `null` and other texts that are no URL. */
function hostIn(origin: string): string | null {
  try {
    return new URL(origin).host;
  } catch {
    return null;
  }
}
