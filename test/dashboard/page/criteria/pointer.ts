import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import type { Shown } from '../support/shown.ts';
import { openView } from '../support/view.ts';

/** Longer than the time in which a second click makes a double click. */
const LATER_MS = 2000;

export function testPointer(browsing: Browsing, shown: () => Shown): void {
  test('a double click on a dot of a zoomed chart shows all, and a single click opens the trial', async () => {
    const { page, goTo, settled } = await openView(browsing, shown());
    await page.clock.install();
    await goTo('r/demo?c.zoom=100,200');
    const [x, y] = await dotOf(page);
    await page.mouse.dblclick(x, y);
    await page.clock.runFor(LATER_MS);
    await settled();
    expect(await page.evaluate('location.hash')).toBe('#/r/demo');

    await goTo('r/demo?c.zoom=100,200');
    await page.mouse.move(x + 1, y);
    await page.mouse.click(x, y);
    await page.clock.runFor(LATER_MS);
    await settled();
    expect(await page.evaluate('location.hash')).toMatch(/^#\/r\/demo\/trials\/\d+$/);
  });
}

/** A position on the chart at which a click opens a trial. */
async function dotOf(page: Page): Promise<[x: number, y: number]> {
  const box = await page.locator('.chart .u-over').first().boundingBox();
  if (!box) throw new Error('expected a chart');
  for (let across = 0.1; across < 0.9; across += 0.02)
    for (const along of [0.5, 0.6, 0.4, 0.7, 0.3]) {
      const [x, y] = [box.x + box.width * across, box.y + box.height * along];
      await page.mouse.move(x, y);
      if ((await page.locator('.chart-plot[data-pick="true"]').count()) > 0) return [x, y];
    }
  throw new Error('expected a dot of the chart');
}
