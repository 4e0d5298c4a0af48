import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import type { Shown } from '../support/shown.ts';
import { openView } from '../support/view.ts';

export function testCandidates(browsing: Browsing, shown: () => Shown): void {
  test('a row is a candidate, with its runs folded in; the address has columns and ranges', async () => {
    const { page, goTo, settled } = await openView(browsing, shown());
    const { rows: means } = await shown().db.execute<{ candidateId: string; runs: number; trials: number }>(sql`
      select o.candidate_id as "candidateId", o.runs,
        (select count(*)::int from trials where candidate_id = o.candidate_id and research_id = 'demo') as trials
      from observations o where research_id = 'demo' and value is not null
        and exists (select 1 from trials where candidate_id = o.candidate_id) order by value limit 12`);
    await goTo('r/demo/trials');
    const first = await texts(page, '.trial-rows .candidate-row .fold');
    expect(first.slice(0, 12)).toEqual(
      means.map(({ trials }) => expect.stringMatching(new RegExp(`${trials} trials?$`)) as string),
    );
    expect(new Set(await texts(page, '.trial-rows .n')).size).toBe(first.length);

    // A candidate with several runs unfolds into them.
    const at = means.findIndex(({ trials }) => trials > 2);
    expect(at).toBeGreaterThanOrEqual(0);
    await page.locator('.candidate-row .fold button').nth(at).click();
    expect(await page.locator('.candidate-row[data-run="true"]').count()).toBe(means[at]?.trials);

    // Pages are read as far as a person scrolls, and only visible rows have elements.
    const total = Number(
      ((await page.locator('.trials-bar [role="status"]').innerText()).match(/^[\d\s]+/) ?? ['0'])[0].replace(
        /\D/g,
        '',
      ),
    );
    expect(total).toBeGreaterThan(150);
    await expect
      .poll(async () => {
        await page.evaluate(`document.querySelector('.candidate-table').scrollTo({ top: 1e6 })`);
        await settled();
        return page.evaluate<number>(`document.querySelector('.candidate-table .trial-rows').clientHeight`);
      })
      .toBeGreaterThan(46 * 150);
    expect(await page.locator('.candidate-row').count()).toBeLessThan(80);

    await page.locator('.columns summary').click();
    await page.locator('.columns label', { hasText: 'knob.config.yaml:learning_rate' }).click();
    await page.locator('.ranges input').fill('value:..2.75');
    await page.keyboard.press('Enter');
    await settled();
    expect(decodeURIComponent(page.url())).toMatch(/cols=knob\.config\.yaml:learning_rate&range=value:\.\.2\.75$/);
    expect(await texts(page, '[role="columnheader"]')).toContain('config.yaml:learning_rate');
    const values = (await texts(page, '.trial-rows .candidate-row[data-run="false"] .value')).map(Number.parseFloat);
    expect(values.length).toBeGreaterThan(3);
    expect(Math.max(...values)).toBeLessThanOrEqual(2.75);
    await page.reload();
    await settled();
    // The unfolded candidate is folded again.
    const again = (await texts(page, '.trial-rows .candidate-row[data-run="false"] .value')).map(Number.parseFloat);
    expect(again.slice(0, values.length)).toEqual(values);
    await page.locator('.ranges input').fill('value:nothing');
    await page.keyboard.press('Enter');
    expect(await page.locator('.ranges [role="alert"]').innerText()).toContain('value:1.2..1.5');
  });

  test('a press on a heading orders by its column, and the trade-off marks its front in the table', async () => {
    const { page, goTo, settled } = await openView(browsing, shown());
    const accuracy = 'metric.accuracy';
    await goTo(`r/demo/trials?cols=${encodeURIComponent(accuracy)}`);
    const head = page.locator('[role="columnheader"]', { hasText: 'accuracy' });
    for (const [sorted, sign] of [
      ['descending', -1],
      ['ascending', 1],
    ] as const) {
      await head.locator('button').focus();
      await page.keyboard.press('Enter');
      await settled();
      expect(await head.getAttribute('aria-sort')).toBe(sorted);
      await expect
        .poll(async () => {
          const numbers = (await texts(page, '.trial-rows .chosen')).slice(0, 10).map(Number);
          return (
            numbers.length > 5 && numbers.every((one, at) => at === 0 || sign * (one - (numbers[at - 1] ?? 0)) >= 0)
          );
        })
        .toBe(true);
    }
    expect(decodeURIComponent(page.url())).toContain(`sort=${accuracy}`);

    await page.locator('.trials-bar button', { hasText: 'Trade-off' }).click();
    await page.locator('.pareto select[aria-label="Vertical axis"]').selectOption('seconds');
    await settled();
    await page.locator('.pareto .chart-bar button', { hasText: 'Table' }).click();
    const front = await texts(page, '.pareto tbody td:first-child a');
    expect(front.length).toBeGreaterThan(0);
    expect(await texts(page, '.pareto thead th')).toContain('seconds');
    await goTo(`${page.url().split('#/')[1] ?? ''}&range=value:..2.75`.replace(/sort=[^&]*/, 'sort=value'));
    await page.locator('.in-front').first().waitFor();
    const marked = await texts(page, '.candidate-row:has(.in-front) .n a');
    const inRange = await texts(page, '.pareto tbody td:first-child a');
    expect(inRange).toEqual(expect.arrayContaining(marked));
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
}

const texts = async (page: Page, selector: string): Promise<string[]> => {
  await page.locator(selector).first().waitFor();
  return (await page.locator(selector).allInnerTexts()).map((text) => text.trim());
};
