/**
 * The pictures of docs/guides/dashboard.md: node dist/bench/dashboard/screenshots.js [folder]. A real Postgres that is filled, a real dashboard,
 * a real Chromium, so that they cannot go stale without being made anew.
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
/** The slowest request of a page is answered by then. */
const SETTLE_MS = 2500;

/** How eyes that tell fewer colours apart see a page. */
type Sight = 'deuteranopia' | 'achromatopsia';

/** Each picture: its place, and how it is looked at. */
const PICTURES: { name: string; place: string; size?: typeof WIDE; theme?: 'dark'; sight?: Sight }[] = [
  { name: 'research', place: '#/r/optimiser' },
  { name: 'research-dark', place: '#/r/optimiser', theme: 'dark' },
  { name: 'research-deuteranopia', place: '#/r/optimiser', sight: 'deuteranopia' },
  { name: 'research-achromatopsia', place: '#/r/optimiser', sight: 'achromatopsia' },
  { name: 'research-phone', place: '#/r/optimiser', size: PHONE },
  { name: 'trials', place: '#/r/optimiser/trials' },
  { name: 'trial', place: '#/r/optimiser/trials/203' },
  { name: 'lineage', place: '#/r/optimiser/lineage' },
  { name: 'learning', place: '#/r/policy/learning' },
  { name: 'fleet', place: '#/fleet' },
];

const dashboard = await serveDashboard();
try {
  await seedResearch(dashboard.db, { id: 'optimiser', trials: 400 });
  await seedResearch(dashboard.db, { id: 'policy', trials: 320, learns: true, seed: 2 });
  await mkdir(FOLDER, { recursive: true });
  const browser = await launchChromium();
  try {
    for (const { name, place, size = WIDE, theme = 'light', sight } of PICTURES) {
      const page = await browser.newPage({ viewport: size, colorScheme: theme });
      await enter(page);
      await page.goto(`${page.url().split('#')[0]}${place}`);
      await page.waitForTimeout(SETTLE_MS);
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
  await page.goto(dashboard.enter);
  await page.waitForURL((url) => !url.pathname.includes('/enter/'));
}
