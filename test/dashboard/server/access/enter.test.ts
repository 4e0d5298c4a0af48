import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dashboardFiles } from '../../../../config/dashboard/files.ts';
import { endListening, writeListening } from '../../../../config/dashboard/listening.ts';
import { ask, useDashboard } from '../support.ts';

const serve = useDashboard();

test('the file on which a browser is opened gives it the cookie, which opens the page', async () => {
  const { home, port, secret, below } = await serve();
  writeListening(home, { pid: process.pid, host: '127.0.0.1', port }, secret);
  const file = await readFile(dashboardFiles(home).open, 'utf8');
  const url = new URL(/http-equiv="refresh" content="0; url=([^"]+)"/.exec(file)?.[1] ?? '');
  expect(url.host).toBe(`127.0.0.1:${port}`);

  const entered = await ask(port, url.pathname);
  // No redirect: it would belong to the navigation from the file, on which the browser sends no strict cookie.
  expect(entered.status).toBe(200);
  expect(entered.text).toContain(`content="0; url=${below('')}"`);
  expect(entered.text).not.toContain(secret.token);
  expect(entered.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  expect(entered.headers['content-security-policy']).toMatch(/^default-src 'none'/);
  const [given = ''] = entered.headers['set-cookie'] ?? [];
  expect(given.split('; ').slice(1).sort()).toEqual(
    ['HttpOnly', 'SameSite=Strict', `Path=${below('')}`, 'Max-Age=15552000'].sort(),
  );

  const [cookie = ''] = given.split('; ');
  const page = await ask(port, below(''), { headers: { cookie } });
  expect([page.status, page.text]).toEqual([200, '<!doctype html><title>shell</title>']);

  endListening(home, process.pid);
  await expect(readFile(dashboardFiles(home).open, 'utf8')).rejects.toThrow('ENOENT');
});

test('a token that is cut, longer or of another path opens nothing', async () => {
  const { port, below, secret } = await serve();
  const other = await serve();
  for (const path of [
    below(`enter/${secret.token.slice(1)}`),
    below(`enter/${secret.token}0`),
    below('enter/'),
    other.below(`enter/${secret.token}`),
    below(`enter/${other.secret.token}`),
  ]) {
    const answer = await ask(port, path);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
  }
});
