import type { CDPSession, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** Costs of a page: bytes on the wire, MB of heap, milliseconds of the longest frame while zooming or scrolling. */
export interface PageCosts {
  page: string;
  /** Bytes of the first load (`bytes`), and of its largest request (`largest`). */
  bytes: number;
  largest: number;
  heapMb: number;
  nodes: number;
  worstFrameMs: number;
}

/** Opens the pages of a research in Chromium, zooms or scrolls there, and measures their costs. */
export async function measurePageCosts(enter: string, id: string): Promise<PageCosts[]> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const cdp = await page.context().newCDPSession(page);
    const sizes = await sizesOf(cdp);
    await page.goto(enter);
    await page.waitForSelector('main');
    const origin = page.url().split('#')[0] ?? '';
    const costs: PageCosts[] = [];
    for (const { name, hash, ready, move } of pagesOf(id)) {
      sizes.clear();
      // A new load without a cache.
      await cdp.send('Network.clearBrowserCache');
      await page.goto('about:blank');
      await page.goto(`${origin}${hash}`);
      await page.waitForSelector(ready, { timeout: 60_000 });
      await page.waitForLoadState('load');
      const all = [...sizes.values()];
      const worstFrameMs = await worstFrame(page, move);
      const nodes = Number(await page.evaluate('document.getElementsByTagName("*").length'));
      const heapMb = await heapOf(cdp);
      costs.push({
        page: name,
        bytes: all.reduce((sum, size) => sum + size, 0),
        largest: Math.max(...all),
        heapMb,
        nodes,
        worstFrameMs,
      });
    }
    return costs;
  } finally {
    await browser.close();
  }
}

interface Shown {
  name: string;
  hash: string;
  /** Selector of an element that exists once the page is drawn. */
  ready: string;
  move: (page: Page) => Promise<void>;
}

const pagesOf = (id: string): Shown[] => [
  { name: 'research', hash: `#/r/${id}`, ready: '.u-over', move: zoom },
  { name: 'candidates', hash: `#/r/${id}/trials`, ready: '.candidate-row [role=cell] a', move: scroll },
  { name: 'trials', hash: `#/r/${id}/trials?per=run`, ready: '.trial-row [role=gridcell] a', move: scroll },
];

/** Zooms into the chart by dragging, and out again by a double click, three times. */
async function zoom(page: Page): Promise<void> {
  const chart = await page.locator('.u-over').first().boundingBox();
  if (!chart) throw new Error('Expected a chart on the page of the research');
  for (const share of [0.1, 0.3, 0.5]) {
    await page.mouse.move(chart.x + chart.width * share, chart.y + chart.height * 0.3);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * (share + 0.3), chart.y + chart.height * 0.7, { steps: 10 });
    await page.mouse.up();
    await frames(page, 5);
    await page.mouse.dblclick(chart.x + chart.width / 2, chart.y + chart.height / 2);
    await frames(page, 5);
  }
}

/** Scrolls through the list in jumps of 8,000 pixels. */
async function scroll(page: Page): Promise<void> {
  const list = await page.locator('.trial-grid').boundingBox();
  if (!list) throw new Error('Expected a list of trials');
  await page.mouse.move(list.x + list.width / 2, list.y + list.height / 2);
  for (let jump = 0; jump < 60; jump += 1) {
    await page.mouse.wheel(0, 8000);
    await frames(page, 1);
  }
}

const frames = (page: Page, count: number): Promise<unknown> =>
  page.evaluate(`new Promise((done) => {
    let left = ${count};
    const next = () => (left-- > 0 ? requestAnimationFrame(next) : done());
    next();
  })`);

/** Milliseconds of the longest time between two frames during the move. */
async function worstFrame(page: Page, move: Shown['move']): Promise<number> {
  await frames(page, 30);
  await page.evaluate(`(() => {
    window.worstFrame = 0;
    let last = performance.now();
    const next = (now) => {
      window.worstFrame = Math.max(window.worstFrame, now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame((now) => ((last = now), requestAnimationFrame(next)));
  })()`);
  await move(page);
  return Number(await page.evaluate('window.worstFrame'));
}

/** Starts recording the bytes of each ended request, by its id. */
async function sizesOf(cdp: CDPSession): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
  await cdp.send('Network.enable');
  await cdp.send('Performance.enable');
  return sizes;
}

/** MB of heap after garbage collection. */
async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 1e6;
}
