/**
 * Measures the dashboard on a large seeded research, with a real Postgres, a real server and a real Chromium:
 * node dist/bench/dashboard.js [trials]
 * Prints the costs of each resource, of each change and of the pages, and fails if one is above its limit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { measurePageCosts } from './dashboard/measure-page-costs.ts';
import { serveDashboard, type Answer, type Statement } from './dashboard/serve.ts';
import { measureWatching } from './dashboard/measure-changes.ts';
import { measureDelayToPage, measureStartDelay } from './dashboard/measure-delays.ts';
import { noChromium } from './dashboard/chromium.ts';
import { fillObservations } from './support/seed/fill-observations.ts';
import { seedResearch } from './support/seed/seed-research.ts';
import { printTable } from './support/table.ts';

const TRIALS = Number(process.argv[2] ?? 50_000);
const ID = 'large';
/** Requests for each resource; the fastest one counts, since others use the machine, too. */
const TIMES = 3;
/** Time after which the server reads a resource again. */
const SHARED_MS = 1100;
/** Number of the last trials that have curves and events. */
const DETAILED = 50_000;
/** Buckets of the series that the page requests, one for each dot. */
const DOTS = 12_000;

/**
 * Limits of a resource. A series in buckets, as the page requests it, has a lower limit (`seriesBytes`) than other
 * resources (`sentBytes`). A whole series has a higher one (`savedBytes`), since it is only saved as a file.
 */
const LIMITS = { statementMs: 300, sentBytes: 1_000_000, seriesBytes: 250_000, savedBytes: 2_000_000 };
/** Limits of a page: bytes of its first load, MB of heap, DOM nodes, milliseconds of the longest frame. */
const PAGE = { bytes: 500_000, heapMb: 100, nodes: 2000, worstFrameMs: 100 } as const;

/** Limits of CPU: milliseconds of Postgres and of the server per change of a page; share of a core without a tab. */
const WATCHING = { postgresMs: 50, serverMs: 20, idle: 0.01 } as const;

/** Limits in milliseconds: from the end of a trial to its display, and from the start of a dashboard to an answer. */
const WAITS = { shown: 2000, start: 1000 } as const;

const dashboard = await serveDashboard();
const faults: string[] = [];
try {
  const begun = performance.now();
  await seedResearch(dashboard.db, { id: ID, trials: TRIALS, detailed: Math.min(TRIALS, DETAILED) });
  await fillObservations(dashboard.db, ID);
  await dashboard.db.execute('vacuum analyze');
  process.stderr.write(`filled in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
  await measure([
    'researches',
    `research/${ID}`,
    `research/${ID}/series`,
    `research/${ID}/series?buckets=${DOTS}`,
    ...['time', 'slotSeconds', 'tokens', 'usd'].map((x) => `research/${ID}/series?buckets=${DOTS}&x=${x}`),
    `events?research=${ID}`,
    'events?level=notice',
    'spend',
    `spend?research=${ID}&by=day`,
    `research/${ID}/order?sort=value&order=asc`,
    `research/${ID}/order?text=rate`,
    `research/${ID}/trials?n=${Array.from({ length: 100 }, (_, index) => TRIALS - index).join(',')}`,
    `trial/${encodeURIComponent(`${ID}/${Math.round(TRIALS / 2)}`)}`,
    `research/${ID}/candidates?order=asc`,
    `research/${ID}/candidates?order=asc&range=metric.val_loss:..2.9`,
    `research/${ID}/candidates?order=desc&sort=metric.accuracy`,
    `research/${ID}/candidates?order=desc&sort=metric.accuracy&after=o~0.5~1`,
    `research/${ID}/pareto`,
    `research/${ID}/since`,
    'researches/since',
    `research/${ID}/tree`,
    'fleet',
    'gantt',
  ]);
  await measureWaits();
  await measureChanges();
  if (noChromium === undefined) await measurePages();
  else process.stderr.write(`no pages are measured: ${noChromium}\n`);
} finally {
  await dashboard.stop();
}
for (const fault of faults) process.stderr.write(`too much: ${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

async function measure(resources: readonly string[]): Promise<void> {
  const rows = [];
  for (const resource of resources) {
    const found = await fastest(resource);
    if (found === null) continue;
    const { answer, longest, totalMs } = found;
    if (longest.ms > LIMITS.statementMs)
      faults.push(`${resource}: ${longest.ms.toFixed(0)} ms for ${longest.text.slice(0, 300)}`);
    if (answer.sent > mostBytes(resource)) faults.push(`${resource}: ${answer.sent} bytes`);
    rows.push([
      resource.length > 60 ? `${resource.slice(0, 59)}…` : resource,
      ...[answer.ms, totalMs, longest.ms].map(Math.round),
      ...[answer.bytes, answer.sent].map((bytes) => Math.round(bytes / 1000)),
    ]);
  }
  const heads = ['resource', 'ms', 'ms in Postgres', 'longest statement', 'kB', 'kB gzipped'];
  printTable(`${TRIALS} trials`, heads, rows);
}

async function measureChanges(): Promise<void> {
  const { db, readUrl } = dashboard;
  const { changes, idle } = await dashboard.withoutLog(() => measureWatching({ db, readUrl, id: ID, trials: TRIALS }));
  for (const { page, ...cost } of changes)
    for (const key of ['postgresMs', 'serverMs'] as const)
      if (cost[key] > WATCHING[key])
        faults.push(`a change of the page ${page}: ${key} ${Math.round(cost[key])}, ${WATCHING[key]} at most`);
  if (idle.postgres + idle.server > WATCHING.idle)
    faults.push(`without a tab: ${((idle.postgres + idle.server) * 100).toFixed(1)} % of a core`);
  printTable(
    'CPU of a change with one tab',
    ['page', 'ms of Postgres', 'ms of the server'],
    changes.map(({ page, postgresMs, serverMs }) => [page, Math.round(postgresMs), Math.round(serverMs)]),
  );
  printTable(
    'CPU without a tab, over 60 s',
    ['what', '% of a core'],
    Object.entries(idle).map(([what, share]) => [what, (share * 100).toFixed(2)]),
  );
}

function mostBytes(resource: string): number {
  if (resource.includes('buckets=')) return LIMITS.seriesBytes;
  return resource.includes('/series') ? LIMITS.savedBytes : LIMITS.sentBytes;
}

async function measurePages(): Promise<void> {
  const costs = await measurePageCosts(dashboard.loginUrl, ID);
  for (const cost of costs) {
    if (cost.largest > LIMITS.sentBytes) faults.push(`the page ${cost.page}: a request of ${cost.largest} bytes`);
    for (const key of ['bytes', 'heapMb', 'nodes', 'worstFrameMs'] as const)
      if (cost[key] > PAGE[key])
        faults.push(`the page ${cost.page}: ${key} ${Math.round(cost[key])}, ${PAGE[key]} at most`);
  }
  printTable(
    'Pages in Chromium',
    ['page', 'kB of the first load', 'largest request', 'heap MB', 'DOM nodes', 'worst frame ms'],
    costs.map(({ page, bytes, largest, heapMb, nodes, worstFrameMs }) => [
      page,
      ...[bytes / 1000, largest / 1000, heapMb, nodes, worstFrameMs].map(Math.round),
    ]),
  );
}

async function measureWaits(): Promise<void> {
  const start = await measureStartDelay();
  const shown =
    noChromium === undefined ? await measureDelayToPage(dashboard.db, { enter: dashboard.loginUrl, id: ID }) : null;
  if (start > WAITS.start) faults.push(`a dashboard that is started answers after ${Math.round(start)} ms`);
  if (shown !== null && shown > WAITS.shown) faults.push(`a trial that ended is shown after ${Math.round(shown)} ms`);
  printTable(
    'Waits',
    ['what', 'ms'],
    [
      ['from the start of a dashboard to its first answer', Math.round(start)],
      ['from the end of a trial to its being on the page', shown === null ? '–' : Math.round(shown)],
    ],
  );
}

async function fastest(resource: string): Promise<{ answer: Answer; longest: Statement; totalMs: number } | null> {
  let best: { answer: Answer; longest: Statement; totalMs: number } | null = null;
  for (let time = 0; time < TIMES; time += 1) {
    // The server shares an answer for a second.
    await sleep(SHARED_MS);
    await dashboard.statements();
    const answer = await dashboard.fetchResource(resource);
    const measured = { answer, ...(await dashboard.statements()) };
    // A failed request counts as a fault even if another try succeeds.
    if (answer.status !== 200) faults.push(`${resource} answered ${answer.status} after ${Math.round(answer.ms)} ms`);
    else if (best === null || measured.totalMs < best.totalMs) best = measured;
  }
  return best;
}
