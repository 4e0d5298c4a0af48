import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import { formsOfPages, hasForm, PLACES } from '../support/places.ts';
import type { Shown } from '../support/shown.ts';
import { openView, undrawn } from '../support/view.ts';
import { wider } from './fits.ts';

export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { width: 390, height: 844 };
export function testEveryPage(browsing: Browsing, shown: () => Shown): void {
  test('each page of the table has a place among those tested below', () => {
    const forms = formsOfPages();
    expect(forms).toContain('r/:id');
    expect(forms.filter((form) => !PLACES.some((place) => hasForm(place, form)))).toEqual([]);
  });

  test('an error of one page breaks no other page', async () => {
    const { page, goTo, forgive } = await openView(browsing, shown());
    forgive(/not caught|TypeError|console: /);
    await page.route('**/api/v1/spend**', (route) => route.fulfill({ json: {} }));
    await goTo('spend');
    expect(await undrawn({ page })).toEqual([expect.stringMatching(/^This page failed to draw its data: .+\./)]);
    await goTo('fleet');
    expect(await undrawn({ page })).toEqual([]);
    await page.unroute('**/api/v1/spend**');
    await goTo('spend');
    expect(await undrawn({ page })).toEqual([]);
  });

  test('a command is selected if the browser has no clipboard, as over plain HTTP from another machine', async () => {
    const { page, context, goTo } = await openView(browsing, shown());
    await context.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await page.reload();
    await goTo('r/demo');
    const button = page.getByRole('button', { name: /^Copy: npx perpetua pause/ }).first();
    await button.click();
    expect(await button.innerText()).toBe('Selected: press Ctrl-C');
    expect(await page.evaluate('getSelection().toString()')).toMatch(/^npx perpetua pause demo/);
  });

  test.each(PLACES)(
    '#/%s is drawn without a network, is accessible in light and dark, and fits a desk and a phone',
    async (place) => {
      const { page, goTo, settled } = await openView(browsing, shown(), { colorScheme: 'light' });
      await goTo(place);
      expect(await undrawn({ page })).toEqual([]);
      expect(await wider(page)).toEqual([]);
      await page.evaluate(AXE);
      expect(await violations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await settled();
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
      expect(await violations(page)).toEqual([]);
      await openTables(page);
      await page.setViewportSize(PHONE);
      await settled();
      expect(await wider(page)).toEqual([]);
    },
  );
}

/** Violations that axe finds, shortened. */
export const violations = (page: Page): Promise<unknown> =>
  page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 5).map(({ html, failureSummary }) =>
      html.slice(0, 200) + ' ' + failureSummary) })))`);

/** Opens and closes the table of each chart with the keyboard alone. */
async function openTables(page: Page): Promise<void> {
  for (const chart of await page.locator('figure.chart').all()) {
    const button = chart.getByRole('button', { name: 'Table', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await chart.locator('table tbody tr').first().waitFor();
    await page.keyboard.press('Enter');
    await chart.locator('table').waitFor({ state: 'detached' });
  }
}
