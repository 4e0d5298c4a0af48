import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import type { Shown } from '../support/shown.ts';
import { openView } from '../support/view.ts';

const REASON = 'the next one waits until 14:05:09 UTC';

export function testZone(browsing: Browsing, shown: () => Shown): void {
  test("all times are in the browser's zone, which the page names once", async () => {
    const { db } = shown();
    await db.execute(sql`update researches set phase = 'waiting', reason = ${REASON} where id = 'learns'`);
    onTestFinished(async () => {
      await db.execute(sql`update researches set phase = 'running', reason = null where id = 'learns'`);
    });
    const { page, goTo } = await openView(browsing, shown(), { timezoneId: 'Asia/Tokyo' });
    for (const place of ['', 'r/learns', 'r/learns/trials/60', 'fleet', 'spend?by=day&s.table=1']) {
      await goTo(place);
      const text = await page.locator('body').innerText();
      expect({ place, named: text.match(/Asia\/Tokyo/g) }).toEqual({ place, named: ['Asia/Tokyo'] });
      expect({ place, utc: text.match(/.*\bUTC\b.*|.*\d\d:\d\d(:\d\d(\.\d+)?)?Z.*/g) }).toEqual({ place, utc: null });
      if (place === '' || place === 'r/learns') expect(text).toContain('waits until 23:05:09');
      // Days of the zone begin at its midnight.
      if (place.startsWith('spend')) expect(text).toMatch(/\d{4}-\d\d-\d\d 00:00/);
    }
  });
}
