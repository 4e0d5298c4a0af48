import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../../../dashboard/server/routes/table.ts';
import { ask, useDashboard } from '../support.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement.ts';
import { isRoot, supervise } from '../../../infra/compute/supervisor/supervise.ts';

const serve = useDashboard();
/** Every resource, and what is beside them. */
const PATHS = [
  ...ROUTES.map(({ path }) => `api/v1/${path.replaceAll(/:\w+/g, 'x')}`),
  ...['', 'parts/page.js', 'api/v1/stream', 'api/v1/nothing', 'nothing', 'enter/nothing'],
];

describe('who is not let in', () => {
  test('hears 401 on every path: without a cookie, with a wrong one, and with the right one elsewhere', async () => {
    const { port, below, secret, cookie } = await serve();
    const wrong = { cookie: `perpetua=${secret.token.replace(/./g, '0')}` };
    const asked = [
      ...PATHS.map((path) => ({ path: below(path), headers: {} })),
      ...PATHS.map((path) => ({ path: below(path), headers: wrong })),
      ...PATHS.map((path) => ({ path: `/${'0'.repeat(32)}/${path}`, headers: cookie })),
      ...['/', '/enter', '/favicon.ico', `/${secret.path}x/`, `//${secret.path}/`, '/%2e%2e/'].map((path) => ({
        ...{ path, headers: cookie },
      })),
    ];
    const told = await Promise.all(asked.map(async (one) => ({ ...one, ...(await ask(port, one.path, one)) })));
    expect(told.filter(({ status }) => status !== 401)).toEqual([]);
    // Nothing is told by how it is told.
    expect(new Set(told.map(({ text }) => text)).size).toBe(1);
    expect(told[0]?.text).toMatch(/not let in yet\. Run `npx perpetua dashboard`/);
    expect(told.filter(({ headers }) => headers['set-cookie'])).toEqual([]);
  });

  test('hears 403 under a name that is not ours, even with the cookie', async () => {
    const { port, below, cookie, secret } = await serve({ allowHosts: ['box.lan'] });
    const status = async (host: string, path = below('')) =>
      (await ask(port, path, { headers: { ...cookie, host } })).status;
    for (const host of ['evil.test', `evil.test:${port}`, `127.0.0.1.evil.test:${port}`, `box.lan.evil.test`])
      expect([host, await status(host)]).toEqual([host, 403]);
    expect(await status('evil.test', below(`enter/${secret.token}`))).toBe(403);
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

  test('hears 405 for everything but GET and HEAD', async () => {
    const { port, below, cookie } = await serve();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const path of [below(''), below('api/v1/setup'), below('api/v1/stream'), '/'])
        for (const headers of [cookie, {}]) {
          const told = await ask(port, path, { method, headers });
          expect([method, path, told.status, told.headers.allow]).toEqual([method, path, 405, 'GET, HEAD']);
        }
    for (const path of ['', 'api/v1/setup', 'api/v1/stream'])
      expect((await ask(port, below(path), { method: 'HEAD', headers: cookie })).status).toBe(200);
  });
});

describe('every answer', () => {
  test('forbids scripts of strangers, frames and referrers, and is shared with no other origin', async () => {
    const { port, below, get } = await serve();
    const answers = [
      ...[await get(''), await get('api/v1/setup'), await get('api/v1/nothing'), await get('nothing')],
      ...[await ask(port, '/'), await ask(port, below(''), { method: 'POST' })],
      await ask(port, '/', { headers: { host: 'evil.test', origin: 'http://evil.test' } }),
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

// Such a run is looked for among all processes: a namespace around the test keeps a mistake small.
const within = isRoot ? ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'] : [];

test('a run that only a process group holds together hears 401 of the page, as any program without the cookie', async () => {
  const { port, below } = await serve();
  const paths = ['/', below(''), below('api/v1/researches'), below('api/v1/stream')];
  const script = `Promise.all(process.argv.slice(1).map((url) => fetch(url).then(({ status }) => status))).then((all) => console.log("heard " + all.join(" ")))`;
  const urls = paths.map((path) => `http://127.0.0.1:${port}${path}`);
  const command = `'${process.execPath}' -e '${script}' ${urls.join(' ')}`;
  const { end, output } = await supervise({ shell: ['sh'], confinement: PROCESS_GROUP, uid: null, within }, command, {
    wallSeconds: 60,
  });
  expect(end).toMatchObject({ containment: 'process-group', exitCode: 0 });
  expect(output).toContain('heard 401 401 401 401');
});
