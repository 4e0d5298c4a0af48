import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import type { Shown } from '../support/shown.ts';
import { openView, type View } from '../support/view.ts';
import { AXE, violations } from './every-page.ts';
import { wider } from './fits.ts';

const LABELS = ['Note…', 'Inject…', 'Budget…', 'Window…', 'Task…', 'Stop…'];

/** Buttons of a page that may steer, whose stack has no Temporal. What a button does: test/e2e/shared/steer-page.ts. */
export function testSteer(browsing: Browsing, shown: () => Shown): void {
  /** Messages that the page has sent. */
  const sent = ({ requestPaths }: View): string[] => requestPaths.filter((path) => path.includes('/steer/'));
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  test('each dialog is accessible by the keyboard and in both themes, and fits a phone', async () => {
    const view = await openView(browsing, shown(), { colorScheme: 'light' });
    const { page, goTo, settled } = view;
    await goTo('r/demo');
    await page.evaluate(AXE);
    for (const label of LABELS) {
      await button(page, label).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await settled();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await settled();
        expect({ label, found: await violations(page) }).toEqual({ label, found: [] });
      }
      await page.setViewportSize({ width: 390, height: 844 });
      await settled();
      expect({ label, wider: await wider(page) }).toEqual({ label, wider: [] });
      expect(await page.evaluate('document.querySelector("dialog").scrollWidth <= innerWidth')).toBe(true);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.textContent')).toBe(label);
    }
    expect(sent(view)).toEqual([]);
  });

  test('a page that may not steer has no buttons that do', async () => {
    const { page, goTo } = await openView(browsing, shown());
    await page.route('**/api/v1/steering', (route) => route.fulfill({ json: { on: false, token: null } }));
    for (const place of ['r/demo', 'r/demo/trials/120']) {
      await goTo(place);
      expect(await page.locator('.steer-bar').count()).toBe(0);
    }
  });

  test('stop names the research and its effect, and is sent only after a second press', async () => {
    const view = await openView(browsing, shown());
    const { page, goTo, forgive } = view;
    forgive(/503/);
    await goTo('r/demo');
    await button(page, 'Stop…').click();
    const dialog = page.getByRole('dialog', { name: 'Stop demo?' });
    expect(await dialog.innerText()).toContain('The research ends once its trials have ended.');
    expect(sent(view)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    // No Temporal runs here: the dialog says so, and stays with what the person typed.
    await dialog.getByText(/Expected TEMPORAL_ADDRESS, or a stack that runs/).waitFor();
    expect(sent(view)).toEqual(['api/v1/steer/stop/demo']);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('a button whose message reaches no Temporal says why, and the page goes on', async () => {
    const { page, goTo, settled, forgive } = await openView(browsing, shown());
    forgive(/503/);
    await goTo('r/demo');
    await button(page, 'Pause').click();
    const outcome = page.locator('.steer-outcome');
    await outcome.getByText(/^Pause: Expected TEMPORAL_ADDRESS/).waitFor();
    await settled();
    expect(await button(page, 'Pause').isEnabled()).toBe(true);
    expect(await page.locator('.headline').count()).toBe(1);
  });

  test('a message whose dialog was closed meanwhile says why it had no effect', async () => {
    const { page, goTo, forgive } = await openView(browsing, shown());
    forgive(/503/);
    await goTo('r/demo');
    let take: (route: Route) => void = () => undefined;
    const asked = new Promise<Route>((resolve) => (take = resolve));
    await page.route('**/api/v1/steer/**', (route) => take(route));
    await button(page, 'Note…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('warm up');
    await button(page, 'Add the note').click();
    const route = await asked;
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await route.continue();
    await page
      .locator('.steer-outcome')
      .getByText(/^Add the note: Expected TEMPORAL_ADDRESS/)
      .waitFor();
  });

  test('the dialog that overrules shows the idea of a hostile candidate as text', async () => {
    const { page, goTo } = await openView(browsing, shown());
    const { rows } = await shown().db.execute<{ n: number; hypothesis: string }>(`
      select n, hypothesis from trials where research_id = 'hostile' and kind = 'search' and status = 'completed'
        and hypothesis like '%<%' order by n limit 1`);
    const { n, hypothesis } = rows[0] ?? { n: 0, hypothesis: '' };
    await goTo(`r/hostile/trials/${n}`);
    await button(page, 'Discard…').click();
    const dialog = page.getByRole('dialog', { name: `Discard trial #${n} of hostile?` });
    const words =
      hypothesis
        .replaceAll(/[^a-z]+/gi, ' ')
        .trim()
        .split(' ')[0] ?? '';
    expect(words.length).toBeGreaterThan(0);
    expect(await dialog.innerText()).toContain(words);
    expect(await dialog.innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u001b]/u);
    expect(await dialog.locator('script, img, iframe, a').count()).toBe(0);
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  });

  test('a trial that got no verdict has no buttons that overrule one', async () => {
    const { page, goTo } = await openView(browsing, shown());
    await goTo('r/demo/trials/1');
    expect(await button(page, 'Keep…').count()).toBe(0);
    await goTo('r/demo/trials/308');
    expect(await button(page, 'Keep…').count()).toBe(0);
  });
}
