import type { Handler } from 'hono';
import type { Secret } from '../../../config/dashboard/secret.ts';
import { setAccessCookie, secretPathIn, refuseAccess } from './require-cookie.ts';
import { equalSecrets } from './equal-secrets.ts';

/**
 * Gives the cookie, and goes on to the page by itself. Not by a redirect: it would still count as the way from the file or
 * the other site that led here, on which a browser sends no strict cookie.
 */
export const enter =
  (secret: Secret): Handler =>
  (c) => {
    const knowsPath = equalSecrets(secretPathIn(c), secret.path);
    const hasToken = equalSecrets(c.req.param('token') ?? '', secret.token);
    if (!knowsPath || !hasToken) return refuseAccess(c);
    setAccessCookie(c, secret);
    c.header('cache-control', 'no-store');
    c.header(
      'content-security-policy',
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    return c.html(onward(`/${secret.path}/`));
  };

const onward = (to: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${to}">
<title>Perpetua</title>
</head>
<body><p><a href="${to}">Go on to the dashboard</a></p></body>
</html>
`;
