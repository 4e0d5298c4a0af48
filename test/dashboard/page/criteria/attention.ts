import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import type { Shown } from '../support/shown.ts';
import { openView } from '../support/view.ts';

const ENTRIES = '[aria-label="Needs a person"] > ul > li';

export function testAttention(browsing: Browsing, shown: () => Shown): void {
  test('the title counts the entries, and an entry that is put away stays away in this browser only', async () => {
    const { db } = shown();
    await db.execute(sql`update researches set phase = 'failed', reason = 'no room' where id = 'learns'`);
    onTestFinished(async () => {
      await db.execute(sql`update researches set phase = 'running', reason = null where id = 'learns'`);
    });
    const { page, goTo } = await openView(browsing, shown());
    await goTo('r/learns');
    const failed = page.locator(ENTRIES).filter({ hasText: 'The research has failed' });
    const count = await page.locator(ENTRIES).count();
    expect(await page.title()).toBe(`(${count}) learns · Perpetua`);
    await failed.getByRole('button', { name: 'Put away' }).click();
    await expect.poll(() => failed.count()).toBe(0);
    const less = count > 1 ? `(${count - 1}) ` : '';
    expect(await page.title()).toBe(`${less}learns · Perpetua`);
    await page.reload();
    await goTo('r/learns');
    await expect.poll(() => page.getByText('1 put away in this browser').count()).toBe(1);
    expect(await failed.count()).toBe(0);
    await page.getByRole('button', { name: 'Show again' }).click();
    await expect.poll(() => failed.count()).toBe(1);
    const other = await openView(browsing, shown());
    await other.goTo('r/learns');
    expect(await other.page.locator(ENTRIES).count()).toBe(count);
  });
}
