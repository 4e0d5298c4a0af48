import type { Handler } from 'hono';
import type { Secret } from '../../../config/dashboard/secret.ts';
import { setAccessCookie, secretPathIn, refuseAccess } from './require-cookie.ts';
import { equalSecrets } from './equal-secrets.ts';

/**
 * Sets the access cookie and answers with a small page that opens the dashboard. An HTTP redirect would not work: it
 * belongs to the navigation from the file or site that led here, and browsers send no `SameSite=Strict` cookie on that.
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
    return c.html(forwardPage(`/${secret.path}/`));
  };

const forwardPage = (url: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Perpetua</title>
</head>
<body><p><a href="${url}">Go on to the dashboard</a></p></body>
</html>
`;
