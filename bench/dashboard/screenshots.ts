/**
 * Takes the pictures of docs/guides/dashboard.md: node dist/bench/dashboard/screenshots.js [folder]
 * They show a real dashboard on a seeded Postgres in a real Chromium.
 */
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../config/paths.ts';
import { serveDashboard } from './serve.ts';
import { launchChromium } from './chromium.ts';
import { seedResearch } from '../support/seed/seed-research.ts';

const FOLDER = process.argv[2] ?? join(packageRoot(), 'docs', 'dashboard');
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Selector of a drawn chart. */
const CHART = '.u-over';

/** Colour vision deficiencies that Chromium emulates. */
type Sight = 'deuteranopia' | 'achromatopsia';

/** The pictures: the hash of the page, the selector of an element that exists once it is drawn, and the display. */
const PICTURES: { name: string; place: string; ready: string; size?: typeof WIDE; theme?: 'dark'; sight?: Sight }[] = [
  { name: 'research', place: '#/r/optimiser', ready: CHART },
  { name: 'research-dark', place: '#/r/optimiser', ready: CHART, theme: 'dark' },
  { name: 'research-deuteranopia', place: '#/r/optimiser', ready: CHART, sight: 'deuteranopia' },
  { name: 'research-achromatopsia', place: '#/r/optimiser', ready: CHART, sight: 'achromatopsia' },
  { name: 'research-phone', place: '#/r/optimiser', ready: CHART, size: PHONE },
  { name: 'trials', place: '#/r/optimiser/trials', ready: '.trial-row [role=gridcell] a' },
  { name: 'trial', place: '#/r/optimiser/trials/203', ready: CHART },
  { name: 'lineage', place: '#/r/optimiser/lineage', ready: '.lineage canvas' },
  { name: 'learning', place: '#/r/policy/learning', ready: '.curves .trace' },
  { name: 'fleet', place: '#/fleet', ready: 'main canvas' },
];

/** Script that is true if some part of the page still shows "Reading …" after the next frame. */
const READS = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() =>
  resolve([...document.querySelectorAll('.empty')].some((part) => /^Reading /.test(part.textContent))))))`;

const dashboard = await serveDashboard();
try {
  await seedResearch(dashboard.db, { id: 'optimiser', trials: 400 });
  await seedResearch(dashboard.db, { id: 'policy', trials: 320, learns: true, seed: 2 });
  await mkdir(FOLDER, { recursive: true });
  const browser = await launchChromium();
  try {
    for (const { name, place, ready, size = WIDE, theme = 'light', sight } of PICTURES) {
      const page = await browser.newPage({ viewport: size, colorScheme: theme });
      const pending = awaited(page);
      await enter(page);
      await page.goto(`${page.url().split('#')[0]}${place}`);
      await drawn(page, ready, pending);
      if (sight) {
        const chromium = await page.context().newCDPSession(page);
        await chromium.send('Emulation.setEmulatedVisionDeficiency', { type: sight });
      }
      const path = join(FOLDER, `${name}.png`);
      await page.screenshot({ path });
      console.log(path);
      await page.close();
    }
  } finally {
    await browser.close();
  }
} finally {
  await dashboard.stop();
}

async function enter(page: Page): Promise<void> {
  await page.goto(dashboard.loginUrl);
  await page.waitForURL((url) => !url.pathname.includes('/enter/'));
}

/** URLs of the pending requests of a page, without its endless stream of events. */
function awaited(page: Page): ReadonlySet<string> {
  const pending = new Set<string>();
  page.on('request', (request) => void (request.url().endsWith('/stream') || pending.add(request.url())));
  page.on('requestfinished', (request) => void pending.delete(request.url()));
  page.on('requestfailed', (request) => void pending.delete(request.url()));
  return pending;
}

/** Waits until the element is there and all requests are drawn, three times in a row, since a part may request more. */
async function drawn(page: Page, ready: string, pending: ReadonlySet<string>): Promise<void> {
  await page.waitForSelector(ready);
  for (let quiet = 0; quiet < 3; quiet += 1) if ((await page.evaluate(READS)) || pending.size > 0) quiet = -1;
}
