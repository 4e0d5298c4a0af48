import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { commandLine } from '../../../../infra/process/identity.ts';
import type { Browsing } from '../../../support/browser.ts';
import { startOtherSite } from '../support/other-site.ts';
import type { Shown } from '../support/shown.ts';
import { followed, letIn, openView } from '../support/view.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

export function testDoors(browsing: Browsing, shown: () => Shown): void {
  test('the file that only its owner can read leads a browser to the page, which then has no token', async () => {
    const { openFile, base, secret } = shown();
    expect([modeOf(openFile), modeOf(dirname(openFile))]).toEqual(['600', '700']);
    const watched = await browsing.open(shown().origin);
    watched.forgive(/^request to file:/);
    const sent: { url: string; referer: string | undefined }[] = [];
    watched.page.on('request', (request) => sent.push({ url: request.url(), referer: request.headers()['referer'] }));
    await watched.page.goto(`file://${openFile}`);
    await watched.page.waitForURL(base);
    await followed(watched, shown()).settled();
    const values = await watched.page.evaluate('[location.href, document.referrer, document.cookie, document.title]');
    expect(values).toEqual([base, '', '', expect.any(String)]);
    const withToken = sent.filter(({ url }) => url.includes(secret.token));
    expect(withToken.map(({ url }) => url)).toEqual([`${base}enter/${secret.token}`]);
    expect(sent.filter(({ referer }) => referer)).toEqual([]);
    const [cookie] = await watched.context.cookies();
    expect(cookie).toMatchObject({ path: `/${secret.path}/`, httpOnly: true, sameSite: 'Strict' });
    await watched.page.reload();
    expect(await watched.page.locator('header.top').count()).toBe(1);
  });

  test('another site on the machine gets no cookie, no answer and no frame of the dashboard', async () => {
    const { base } = shown();
    const otherSite = await startOtherSite('<iframe id="frame"></iframe>');
    try {
      const watched = await browsing.open(otherSite.origin);
      await letIn(watched, shown());
      watched.forgive(/./);
      const { page } = watched;
      await page.goto(`${otherSite.origin}/some/path`);
      expect(otherSite.requests.map(({ headers }) => headers.cookie)).toEqual([undefined]);
      const read = await page.evaluate(
        `fetch('${base}api/v1/setup', { credentials: 'include' })` +
          '.then((answer) => answer.text(), (error) => error.name)',
      );
      expect(read).toBe('TypeError');
      const opaque = await page.evaluate(
        `fetch('${base}api/v1/setup', { credentials: 'include', mode: 'no-cors' })` +
          ".then(() => 'came', (error) => error.name)",
      );
      expect(opaque).toBe('TypeError');
      await page.evaluate(`document.getElementById('frame').src = '${base}'`);
      await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^chrome-error:/);
    } finally {
      otherSite.stop();
    }
  });

  test('a program of the machine without the cookie gets 401, and finds no token in arguments or the log', async () => {
    const { origin, base, secret, dashboard, log } = shown();
    const script = `Promise.all(process.argv.slice(1).map((url) => fetch(url).then(({ status }) => status)))
      .then((all) => console.log(all.join(' ')))`;
    const urls = [`${origin}/`, base, `${base}api/v1/researches`, `${base}api/v1/stream`];
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, ...urls]);
    expect(stdout.trim()).toBe('401 401 401 401');
    const seen = [commandLine(dashboard.pid()), log()].join('\n');
    for (const word of [secret.token, secret.path]) expect(seen).not.toContain(word);
    expect(readFileSync(`/proc/${dashboard.pid()}/environ`, 'utf8')).not.toMatch(/postgres:|DATABASE_URL/);
  });

  test('the process of the dashboard reads with a role that may write nothing', async () => {
    const { db, dashboard } = shown();
    const view = await openView(browsing, shown());
    await view.goTo('');
    const { rows } = await db.execute<{ name: string; count: number }>(
      `select usename as name, count(*)::int as count from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid() and usename <> current_user group by 1`,
    );
    expect(rows).toEqual([{ name: expect.stringMatching(/^perpetua_reader_/), count: expect.any(Number) }]);
    expect(rows[0]?.count).toBeLessThanOrEqual(4);
    expect(dashboard.pid()).toBeGreaterThan(1);
  });
}
