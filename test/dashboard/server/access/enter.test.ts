import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dashboardFiles } from '../../../../config/dashboard/files.ts';
import { endListening, writeListening } from '../../../../config/dashboard/listening.ts';
import { sendRequest, useDashboard } from '../support.ts';

const serve = useDashboard();

test('the file that we open in the browser leads to the cookie, and the cookie to the page', async () => {
  const { home, port, secret, secretPath } = await serve();
  writeListening(home, { pid: process.pid, host: '127.0.0.1', port }, secret);
  const file = await readFile(dashboardFiles(home).open, 'utf8');
  const url = new URL(/http-equiv="refresh" content="0; url=([^"]+)"/.exec(file)?.[1] ?? '');
  expect(url.host).toBe(`127.0.0.1:${port}`);

  const entered = await sendRequest(port, url.pathname);
  // After a redirect the browser would still count the file as the origin and send no strict cookie.
  expect(entered.status).toBe(200);
  expect(entered.text).toContain(`content="0; url=${secretPath('')}"`);
  expect(entered.text).not.toContain(secret.token);
  expect(entered.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  expect(entered.headers['content-security-policy']).toMatch(/^default-src 'none'/);
  const [given = ''] = entered.headers['set-cookie'] ?? [];
  expect(given.split('; ').slice(1).sort()).toEqual(
    ['HttpOnly', 'SameSite=Strict', `Path=${secretPath('')}`, 'Max-Age=15552000'].sort(),
  );

  const [cookie = ''] = given.split('; ');
  const page = await sendRequest(port, secretPath(''), { headers: { cookie } });
  expect([page.status, page.text]).toEqual([200, '<!doctype html><title>shell</title>']);

  endListening(home, process.pid);
  await expect(readFile(dashboardFiles(home).open, 'utf8')).rejects.toThrow('ENOENT');
});

test('a token that is too short, too long or of another dashboard gets no cookie', async () => {
  const { port, secretPath, secret } = await serve();
  const other = await serve();
  for (const path of [
    secretPath(`enter/${secret.token.slice(1)}`),
    secretPath(`enter/${secret.token}0`),
    secretPath('enter/'),
    other.secretPath(`enter/${secret.token}`),
    secretPath(`enter/${other.secret.token}`),
  ]) {
    const answer = await sendRequest(port, path);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
  }
});
