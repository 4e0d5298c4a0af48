import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import { HOSTILE_PLACES } from '../support/places.ts';
import type { Shown } from '../support/shown.ts';
import { openView, undrawn } from '../support/view.ts';

export function testHostile(browsing: Browsing, shown: () => Shown): void {
  test('the database of these tests has values that are not finite', async () => {
    const { db } = shown();
    await db.execute(sql`
      update trials set value = case n % 3 when 0 then 'NaN' when 1 then 'Infinity' else '-Infinity' end::float8,
        expected_delta = 'NaN', seconds = 'Infinity', slot_wait_seconds = 'NaN', reward = 'NaN'
      where research_id = 'hostile' and status is not null and n % 4 = 1 and n > 20`);
    await db.execute(sql`update runs set stdout_tail = log_tail where trial_id like 'hostile/%'`);
    await db.execute(
      sql`update calls set usd = 'NaN', latency_seconds = 'NaN' where trial_id like 'hostile/%' and turn = 0`,
    );
    await db.execute(sql`update calls set answer = answer || chr(8238) || '<script>globalThis.pwned = true</script>'
      where trial_id like 'hostile/%' and turn = 0`);
    const reason = sql`'reason ' || chr(8238) || chr(27) || '[31m<script>globalThis.pwned = true</script>'`;
    await db.execute(sql`update trials set reason = ${reason} where research_id = 'hostile' and verdict <> 'none'`);
    await db.execute(sql`update claims set reason = ${reason} where research_id = 'hostile'`);
    await db.execute(sql`update researches set reason = ${reason} where id = 'hostile'`);
    const { rows } = await db.execute(
      sql`select count(*)::int as count from points where value = 'NaN' and trial_id like 'hostile/%'`,
    );
    expect(rows[0]).not.toEqual({ count: 0 });
  });

  test.each(HOSTILE_PLACES)('no script or link of a candidate works on #/%s, and the page is drawn', async (place) => {
    const { page, goTo, settled } = await openView(browsing, shown());
    await goTo(place);
    await unfoldAll(page);
    await settled();
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
    expect(await page.evaluate(STRANGERS)).toEqual([]);
    const text = await page.locator('main').innerText();
    expect(await undrawn({ page })).toEqual([]);
    expect(text.length).toBeGreaterThan(40);
    // A character that reverses the following text is shown by its code and has no effect.
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u001b]/u);
  });

  test.each(['r/hostile', 'r/hostile/lineage', 'fleet', 'spend'])(
    'files that are saved from #/%s run no script of a candidate and make no request',
    async (place) => {
      const view = await openView(browsing, shown());
      await view.goTo(place);
      for (const [words, ends] of [
        ['Page as HTML', '.html'],
        ['Chart as SVG', '.svg'],
      ] as const) {
        const path = await saved(view.page, words);
        expect(extname(path)).toBe(ends);
        const { page } = await browsing.open('file://');
        await page.goto(`file://${path}`);
        expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
        expect(await page.locator('script, img, iframe, foreignObject, a').count()).toBe(0);
        await page.close();
      }
      // No cell of the table is a formula.
      const table = await readFile(await saved(view.page, 'Data as CSV'), 'utf8');
      expect(table).toContain('\r\n');
      expect(table).not.toMatch(/(^|[,\n])"?\s*[=+@|]/);
    },
  );
}

/** Saves the view of a page; returns the file. */
async function saved(page: Page, words: string): Promise<string> {
  await page.locator('details.export summary').first().click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('details.export[open]').getByRole('button', { name: words }).click(),
  ]);
  const path = join(await mkdtemp(join(tmpdir(), 'perpetua-export-')), download.suggestedFilename());
  await download.saveAs(path);
  onTestFinished(() => rm(dirname(path), { recursive: true, force: true }));
  return path;
}

/** Elements that exist only if a text of a candidate was inserted as HTML. */
const STRANGERS = `[...document.querySelectorAll('script:not([src="page.js"]), img:not([src="icon.svg"]), ' +
    'iframe, object, style, base:not(:first-of-type), a[href]')]
  .filter((element) => element.tagName !== 'A' || !/^(#|https?:|file:)/.test(element.getAttribute('href')))
  .map((element) => element.outerHTML.slice(0, 200))`;

/** Opens all details and all collapsed parts of a page. */
async function unfoldAll(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('details').forEach((element) => (element.open = true))`);
  // A press may bring further parts, or push parts of a virtual table out.
  const folded = page.locator('main button[aria-expanded="false"]');
  for (let most = 100; most > 0 && (await folded.count()) > 0; most -= 1) await folded.first().click();
}
