import { get } from 'node:http';
import { originOf, readListening } from '../../config/dashboard/listening.ts';
import { writeSettings } from '../../config/dashboard/settings.ts';
import { loadConfig } from '../../config/load.ts';
import { homePaths } from '../../config/paths.ts';
import { startDashboard } from '../../cli/dashboard/process.ts';
import type { Db } from '../../db/connect.ts';
import { stopProcess } from '../../infra/process/stop.ts';
import { removeTree } from '../../infra/remove-tree.ts';
import { throwawayHome } from '../support/servers.ts';
import { launchChromium } from './chromium.ts';
import { countEnded, endTrial } from './end-trial.ts';

/** Measurements of each delay; the fastest one counts, since others use the machine, too. */
const TIMES = 3;

/** Measures the milliseconds from the end of a trial to its display on the page of its research. */
export async function measureDelayToPage(db: Db, { enter, id }: { enter: string; id: string }): Promise<number> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(enter);
    await page.waitForSelector('main');
    await page.goto(`${page.url().split('#')[0]}#/r/${id}`);
    // `waitForFunction` would need eval, which the page forbids.
    const shows = async (): Promise<unknown> =>
      page.waitForSelector(`[data-sql="trials.ended"][data-value="${await countEnded(db, id)}"]`);
    await shows();
    return await fastestOf(async () => {
      await endTrial(db, id);
      const began = performance.now();
      await shows();
      return performance.now() - began;
    });
  } finally {
    await browser.close();
  }
}

/** Measures the milliseconds from the start of a dashboard process to its first answer. */
export function measureStartDelay(): Promise<number> {
  return fastestOf(async () => {
    const home = await throwawayHome();
    const config = loadConfig({ PATH: process.env.PATH, PERPETUA_HOME: home });
    writeSettings(home, { host: '127.0.0.1', port: 0, allowHosts: [], readUrl: null, steer: false, temporal: null });
    const began = performance.now();
    const { signal } = new AbortController();
    const started = await startDashboard(config, { logFile: `${homePaths(home).logs}/dashboard.log`, signal });
    const listening = readListening(home);
    if (!listening) throw new Error('Expected a dashboard that listens');
    await answered(originOf(listening));
    const took = performance.now() - began;
    await stopProcess(started, { graceMs: 5000 });
    await removeTree(home);
    return took;
  });
}

const answered = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume();
      response.on('end', resolve);
    }).on('error', reject);
  });

async function fastestOf(measure: () => Promise<number>): Promise<number> {
  let fastest = Infinity;
  for (let time = 0; time < TIMES; time += 1) fastest = Math.min(fastest, await measure());
  return fastest;
}
