import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import type { Shown } from '../support/shown.ts';
import { openView, type View } from '../support/view.ts';

/** Widths of the window: a large desk, the breakpoint of a research's columns, two tablets, a phone. */
const WIDTHS = [1920, 1280, 1100, 820, 390];
const LONG = 'a'.repeat(90);
const PLACES = ['', 'spend', 'r/demo', 'r/demo/trials', 'r/demo/lineage', 'r/demo/knobs', 'r/demo/trials/120'];

export function testFits(browsing: Browsing, shown: () => Shown): void {
  test('a paused research, with its reason, leaves the list of researches as wide as the window', async () => {
    const { db } = shown();
    await db.execute(sql`update researches set phase = 'paused', reason = 'paused by a person; runs finish'
      where id = 'demo'`);
    onTestFinished(async () => {
      await db.execute(sql`update researches set phase = 'running', reason = null where id = 'demo'`);
    });
    const view = await openView(browsing, shown());
    await view.goTo('');
    expect(await view.page.locator('.researches').innerText()).toContain('paused by a person');
    expect(await overflows(view, WIDTHS)).toEqual([]);
  });

  test('a window of 1,280 pixels shows a research in two columns', async () => {
    const { page, goTo, settled } = await openView(browsing, shown());
    await goTo('r/demo');
    const columns = async (width: number): Promise<number> => {
      await page.setViewportSize({ width, height: 900 });
      await settled();
      return page.evaluate<number>(
        `getComputedStyle(document.querySelector('.overview')).gridTemplateColumns.split(' ').length`,
      );
    };
    expect([await columns(1279), await columns(1280)]).toEqual([1, 2]);
    expect(await wider(page)).toEqual([]);
  });

  test('a metric and a unit of 90 letters without a space fit each page at each width', async () => {
    const { db } = shown();
    const rename = (name: string, unit: string | null) =>
      db.execute(sql`
      update task_versions set task = jsonb_set(jsonb_set(task, '{metric,name}', to_jsonb(${name}::text)),
        '{metric,unit}', coalesce(to_jsonb(${unit}::text), 'null'))
      where hash = (select task_hash from researches where id = 'demo')`);
    const { rows } = await db.execute<{ name: string; unit: string | null }>(sql`
      select task->'metric'->>'name' as name, task->'metric'->>'unit' as unit from task_versions
      where hash = (select task_hash from researches where id = 'demo')`);
    await rename(LONG, LONG);
    onTestFinished(async () => void (await rename(rows[0]?.name ?? '', rows[0]?.unit ?? null)));
    const view = await openView(browsing, shown());
    for (const place of PLACES) {
      await view.goTo(place);
      expect({ place, wider: await overflows(view, WIDTHS) }).toEqual({ place, wider: [] });
      if (place === 'r/demo') expect(await view.page.locator('main').innerText()).toContain(LONG);
    }
  });
}

/** Widths at which the page is wider than the window, with the elements that stick out. */
async function overflows({ page, settled }: View, widths: readonly number[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await settled();
    const elements = await wider(page);
    if (elements.length > 0) found.push({ width, elements });
  }
  return found;
}

/** Width of the page, and elements that make it wider than the window; empty if the page fits. */
export const wider = (page: Page): Promise<unknown[]> =>
  page.evaluate(`document.scrollingElement.scrollWidth <= innerWidth ? [] : [document.scrollingElement.scrollWidth,
    ...[...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 || element.clientWidth > 0 &&
        element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === 'visible')
      .slice(0, 5).map((element) => element.outerHTML.slice(0, 120))]`);
