import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { decodeDeltas } from '../../../../view/page/deltas.ts';
import type { Browsing } from '../../../support/browser.ts';
import { countEnded, endIn, endTrial } from '../../../../bench/dashboard/end-trial.ts';
import type { Shown } from '../support/shown.ts';
import { followed, openView } from '../support/view.ts';

const ENDED = '[data-sql="trials.ended"]';
const LIST = 'r/demo/trials?kind=search&status=completed';

/** Number of ended trials on the page of the research. */
const shownEnded = async (page: Page): Promise<number> =>
  Number(await page.locator(ENDED).first().getAttribute('data-value'));
/** Waits until the page has as many ended trials as the database. */
export const untilCurrent = (page: Page, { db }: Shown): Promise<void> =>
  expect.poll(async () => (await shownEnded(page)) - (await countEnded(db, 'demo')), { interval: 50 }).toBe(0);

export function testLive(browsing: Browsing, shown: () => Shown): void {
  test('a trial that ends is shown without a reload; zoom, filter, scroll and the open trial stay', async () => {
    const research = await openView(browsing, shown());
    const [list, trial] = await Promise.all(
      [1, 2].map(async () => followed({ ...research, page: await research.context.newPage() }, shown())),
    );
    if (!list || !trial) return expect.unreachable();
    await Promise.all([research.goTo('r/demo'), list.goTo(LIST), trial.goTo('r/demo/trials/50')]);
    await zoomIn(research.page);
    await list.page.evaluate(`document.querySelector('.trial-grid').scrollTo({ top: 2000 })`);
    await list.settled();
    const tabs = [research, list, trial];
    const before = await Promise.all(tabs.map(({ page }) => viewOf(page)));
    expect(before[0]?.hash).toContain('.zoom=');
    expect(before[1]?.top).toBe(2000);
    for (const { page } of tabs) await page.evaluate('globalThis.mark = true');

    // Three tabs have three streams, for which the server has one listening connection.
    const streams = tabs.map(({ requestPaths }) => requestPaths.filter((path) => path.endsWith('/stream')));
    expect(streams.map(({ length }) => length)).toEqual([1, 1, 1]);
    const { rows } = await shown().db.execute(
      sql`select count(*)::int as count from pg_stat_activity where query ilike 'listen %'`,
    );
    expect(rows).toEqual([{ count: 1 }]);

    await endTrial(shown().db, 'demo');
    await untilCurrent(research.page, shown());
    await Promise.all(tabs.map(({ settled }) => settled()));
    expect(await Promise.all(tabs.map(({ page }) => viewOf(page)))).toEqual(before);
    for (const { page } of tabs) expect(await page.evaluate('globalThis.mark')).toBe(true);
    expect(await trial.page.locator('h2').first().textContent()).toContain('#50');
  });

  test('a trial that is committed late is shown, once', async () => {
    const { page, goTo } = await openView(browsing, shown());
    await goTo('r/demo');
    const before = await shownEnded(page);
    const { db } = shown();
    let late: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (late = resolve));
    let ended: () => void = () => undefined;
    const isEnded = new Promise<void>((resolve) => (ended = resolve));
    const first = db.transaction(async (tx) => {
      await endIn(tx, 'demo');
      ended();
      await held;
    });
    await isEnded;
    await endTrial(db, 'demo');
    await expect.poll(() => shownEnded(page)).toBe(before + 1);
    late();
    await first;
    await expect.poll(() => shownEnded(page)).toBe(before + 2);
    await expectEachOnce(page, shown());
  });

  test.each(['dashboard', 'postgres'] as const)(
    'a %s that is killed is reported on the page, which is current again after its return',
    async (part) => {
      const { page, goTo, forgive } = await openView(browsing, shown());
      forgive(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of 503/);
      await goTo('r/demo');
      await page.evaluate('globalThis.mark = true');
      const server = shown()[part];
      await server.kill();
      await page.locator('.banner').waitFor();
      if (part === 'dashboard') await endTrial(shown().db, 'demo');
      await server.start();
      if (part === 'postgres') await expect.poll(() => endTrial(shown().db, 'demo').catch(() => null)).not.toBeNull();
      await page.locator('.banner').waitFor({ state: 'detached' });
      await untilCurrent(page, shown());
      expect(await page.evaluate('globalThis.mark')).toBe(true);
      await expectEachOnce(page, shown());
    },
  );
}

/** Drags over the chart, as a person zooms. */
async function zoomIn(page: Page): Promise<void> {
  const box = await page.locator('.chart .u-over').first().boundingBox();
  if (!box) throw new Error('expected a chart');
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + box.height / 2, { steps: 3 });
  await page.mouse.up();
  await expect.poll(() => page.url()).toContain('.zoom=');
}

/** Address and scroll position of a tab. */
async function viewOf(page: Page): Promise<{ hash: string; top: number | null }> {
  return page.evaluate(`({ hash: location.hash, top: document.querySelector('.trial-grid')?.scrollTop ?? null })`);
}

/** Expects each trial of the database once in the list of trials. */
async function expectEachOnce(page: Page, { db, base }: Shown): Promise<void> {
  const order = await page.evaluate<{ steps: number[] }>(
    `fetch('${base}api/v1/research/demo/order?order=asc').then((answer) => answer.json())`,
  );
  const { rows } = await db.execute<{ n: number }>(sql`select n from trials where research_id = 'demo' order by n`);
  expect(decodeDeltas(order.steps)).toEqual(rows.map(({ n }) => n));
}
