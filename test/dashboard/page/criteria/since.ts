import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import type { Shown } from '../support/shown.ts';
import { openView } from '../support/view.ts';

const MINUTE_MS = 60_000;

export function testSince(browsing: Browsing, shown: () => Shown): void {
  test('the first panel of both pages says what happened since this browser looked, and links to it', async () => {
    const { page, context, goTo, settled } = await openView(browsing, shown());
    // The last minutes of the seeded research, which began an hour ago, have not been seen.
    const looked = new Date(Date.now() - 20 * MINUTE_MS);
    await page.goto(`${shown().base}#/`);
    await storeLook(page, looked);
    await page.reload();
    await goTo('');
    expect(await firstOfMain(page)).toBe('Since you last looked');
    const demo = page.locator('.since li', { has: page.locator('a', { hasText: /^demo$/ }) });
    await demo.locator('[data-since="stops"]').click();
    await settled();
    expect(page.url()).toMatch(/#\/r\/demo\?x=time&c\.zoom=[\d.]+%2C[\d.]+$/);

    await goTo('r/demo');
    expect(await firstOfMain(page)).toBe('Since you last looked');
    expect(await page.locator('.since').innerText()).toMatch(
      /^since [\d: -]+ \(2\d min\): \d+ trials, .*of slot time used/,
    );
    const [left, right] = await page.evaluate<[string, string]>(GROUNDS);
    expect(right).not.toBe(left);
    // The legend has no entry for the shade, so only the table of the chart names it.
    await goTo('r/demo?c.table=1');
    expect(await page.locator('.curve table').innerText()).toContain('since you looked');
    await goTo('r/demo');
    const trials = page.locator('.since [data-since="trials"]');
    const count = Number((await trials.innerText()).replace(/\D/g, ''));
    await trials.click();
    await page.locator('.trials-bar').waitFor();
    await settled();
    expect(await page.locator('.trials-bar [role="status"]').first().innerText()).toMatch(
      new RegExp(`^${count} of 3\\d\\d trials$`),
    );

    // The mark stays for this look: a reload does not take it away. Another browser has a mark of its own.
    await page.reload();
    await goTo('r/demo');
    expect(await page.locator('.since').innerText()).toMatch(/^since [\d: -]+ \(2\d min\)/);
    const other = await openView(browsing, shown());
    await other.goTo('r/demo');
    expect(await other.page.locator('.since').innerText()).toMatch(/^last 24 h: /);
    expect(await lookOf(page)).toEqual(looked.toISOString());
    expect(context).not.toBe(other.context);
  });

  test('the panel of expected changes reads nothing until it is opened', async () => {
    const { page, goTo, settled } = await openView(browsing, shown());
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const isCalibration = (path: string): boolean => path.endsWith('/calibration');
    await goTo('r/demo');
    expect(asked.filter(isCalibration)).toEqual([]);
    const panel = page.locator('details.calibration');
    await panel.locator('summary').click();
    await panel.locator('tbody tr').first().waitFor();
    await settled();
    expect(asked.filter(isCalibration)).toHaveLength(1);
    expect(await panel.locator('tbody tr').first().innerText()).toMatch(
      /^\S+\s+\d+\s+\d+ %\s+[+−-][\d.]+\s+[+−-][\d.]+/,
    );
  });
}

/** Stores that the browser looked last at a time. */
const storeLook = (page: Page, looked: Date): Promise<void> =>
  page.evaluate((at) => {
    const look = { since: at, looked: at, isFirst: false };
    // The page stores the present look when it is hidden or left: from now on it stores nothing.
    const { localStorage } = globalThis as unknown as {
      localStorage: Record<'setItem', (k: string, v: string) => void>;
    };
    localStorage.setItem('perpetua-look', JSON.stringify(look));
    localStorage.setItem = () => undefined;
  }, looked.toISOString());

const lookOf = (page: Page): Promise<string> =>
  page.evaluate(`JSON.parse(localStorage.getItem('perpetua-look')).since`);

/** The most frequent colour of a column of the chart, near its left and its right edge: one of them is shaded. */
const GROUNDS = `(() => {
  const canvas = document.querySelector('.curve canvas');
  const pen = canvas.getContext('2d');
  return [0.15, 0.92].map((share) => {
    const { data } = pen.getImageData(Math.round(canvas.width * share), 0, 1, canvas.height);
    const counts = new Map();
    for (let at = 0; at < data.length; at += 4) {
      const colour = data.slice(at, at + 4).join();
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return [...counts].sort(([, a], [, b]) => b - a)[0][0];
  });
})()`;

/** Name of the first section of the page's content. */
const firstOfMain = (page: Page): Promise<string | null> =>
  page.locator('main section').first().getAttribute('aria-label');
