import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createDashboard } from '../../../../dashboard/server/serve.ts';
import { sendRequest, useDashboard } from '../support.ts';

const serve = useDashboard();

test('files of the page are served with their type, and no other file of the folder or above it', async () => {
  const { port, secretPath, cookie, get } = await serve();
  expect((await get('')).headers['content-type']).toBe('text/html; charset=utf-8');
  expect((await get('parts/page.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
  for (const path of [
    'secret.key',
    'index.html',
    'parts',
    '../dashboard/secret.json',
    '%2e%2e/dashboard/secret.json',
    'parts%2fpage.js',
  ])
    expect([path, (await sendRequest(port, secretPath(path), { headers: cookie })).status]).toEqual([
      path,
      expect.toBeOneOf([401, 404]),
    ]);
});

test('a file that the browser has is not sent again, even if it was sent compressed', async () => {
  const { get } = await serve();
  const first = await get('parts/page.js', { 'accept-encoding': 'gzip' });
  expect(first.headers['content-encoding']).toBe('gzip');
  const tag = first.headers.etag ?? '';
  expect(first.headers['cache-control']).toBe('private, no-cache');
  for (const known of [tag, tag.replace('W/', ''), `"other", ${tag}`]) {
    const again = await get('parts/page.js', { 'accept-encoding': 'gzip', 'if-none-match': known });
    expect([again.status, again.text]).toEqual([304, '']);
  }
  expect((await get('parts/page.js', { 'if-none-match': '"other"' })).status).toBe(200);
});

test('a dashboard whose page was not built says so', async () => {
  const { home, secret, settings } = await serve();
  await rm(`${home}/page`, { recursive: true });
  const { port, close } = await createDashboard({
    home,
    secret,
    page: `${home}/page`,
    settings: () => settings,
    onError: () => undefined,
  });
  const answer = await sendRequest(port, `/${secret.path}/`, { headers: { cookie: `perpetua=${secret.token}` } });
  expect([answer.status, answer.text]).toEqual([503, expect.stringMatching(/found none\. Build it: npm run build/)]);
  await close();
});
