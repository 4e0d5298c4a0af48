import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../../../dashboard/server/routes/table.ts';
import { sendRequest, useDashboard } from '../support.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { isRoot, supervise } from '../../../infra/compute/supervisor/supervise.ts';

const serve = useDashboard();
/** Paths of all resources, and paths without a resource. */
const PATHS = [
  ...ROUTES.map(({ path }) => `api/v1/${path.replaceAll(/:\w+/g, 'x')}`),
  '',
  'parts/page.js',
  'api/v1/stream',
  'api/v1/steering',
  'api/v1/nothing',
  'nothing',
  'enter/nothing',
];

describe('a request that is not allowed', () => {
  test('gets 401 on every path: without a cookie, with a wrong cookie, and outside the secret path', async () => {
    const { port, secretPath, secret, cookie } = await serve();
    const wrong = { cookie: `perpetua=${secret.token.replace(/./g, '0')}` };
    const requests = [
      ...PATHS.map((path) => ({ path: secretPath(path), headers: {} })),
      ...PATHS.map((path) => ({ path: secretPath(path), headers: wrong })),
      ...PATHS.map((path) => ({ path: `/${'0'.repeat(32)}/${path}`, headers: cookie })),
      ...['/', '/enter', '/favicon.ico', `/${secret.path}x/`, `//${secret.path}/`, '/%2e%2e/'].map((path) => ({
        path,
        headers: cookie,
      })),
    ];
    const answers = await Promise.all(
      requests.map(async (request) => ({ ...request, ...(await sendRequest(port, request.path, request)) })),
    );
    expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
    // All answers are equal, so that they reveal nothing.
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).toMatch(/opens only by its link\. To get it, run `npx perpetua dashboard`/);
    expect(answers.filter(({ headers }) => headers['set-cookie'])).toEqual([]);
  });

  test('gets 403 for a host name that is not allowed, even with the cookie', async () => {
    const { port, secretPath, cookie, secret } = await serve({ allowHosts: ['box.lan'] });
    const status = async (host: string, path = secretPath('')) =>
      (await sendRequest(port, path, { headers: { ...cookie, host } })).status;
    for (const host of ['evil.test', `evil.test:${port}`, `127.0.0.1.evil.test:${port}`, `box.lan.evil.test`])
      expect([host, await status(host)]).toEqual([host, 403]);
    expect(await status('evil.test', secretPath(`enter/${secret.token}`))).toBe(403);
    const forwarded = ['localhost', `127.0.0.1:${port + 1}`];
    for (const host of [
      `127.0.0.1:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
      'box.lan',
      'Box.LAN:8443',
      ...forwarded,
    ])
      expect([host, await status(host)]).toEqual([host, 200]);
  });

  test('gets 405 for every method but GET and HEAD', async () => {
    const { port, secretPath, cookie } = await serve();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const path of [
        secretPath(''),
        secretPath('api/v1/setup'),
        secretPath('api/v1/stream'),
        secretPath('api/v1/steer/pause/x'),
        '/',
      ])
        for (const headers of [cookie, {}]) {
          const answer = await sendRequest(port, path, { method, headers });
          expect([method, path, answer.status, answer.headers.allow]).toEqual([method, path, 405, 'GET, HEAD']);
        }
    for (const path of ['', 'api/v1/setup', 'api/v1/stream'])
      expect((await sendRequest(port, secretPath(path), { method: 'HEAD', headers: cookie })).status).toBe(200);
  });
});

describe('every answer', () => {
  test('forbids scripts of strangers, frames and referrers, and is shared with no other origin', async () => {
    const { port, secretPath, get } = await serve();
    const answers = [
      await get(''),
      await get('api/v1/setup'),
      await get('api/v1/nothing'),
      await get('nothing'),
      await sendRequest(port, '/'),
      await sendRequest(port, secretPath(''), { method: 'POST' }),
      await sendRequest(port, '/', { headers: { host: 'evil.test', origin: 'http://evil.test' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 401, 405, 403]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': expect.stringMatching(/^default-src 'self';.*frame-ancestors 'none'/) as string,
      });
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

// The supervisor scans all processes for such a run. A namespace around the test limits the damage of a mistake.
const within = isRoot ? ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'] : [];

test('a run in a process group gets 401 from the dashboard, as any program without the cookie', async () => {
  const { port, secretPath } = await serve();
  const paths = ['/', secretPath(''), secretPath('api/v1/researches'), secretPath('api/v1/stream')];
  const script =
    'Promise.all(process.argv.slice(1).map((url) => fetch(url).then(({ status }) => status)))' +
    '.then((all) => console.log("statuses " + all.join(" ")))';
  const urls = paths.map((path) => `http://127.0.0.1:${port}${path}`);
  const command = `'${process.execPath}' -e '${script}' ${urls.join(' ')}`;
  const { end, output } = await supervise({ shell: ['sh'], confinement: PROCESS_GROUP, uid: null, within }, command, {
    wallSeconds: 60,
  });
  expect(end).toMatchObject({ containment: 'process-group', exitCode: 0 });
  expect(output).toContain('statuses 401 401 401 401');
});
