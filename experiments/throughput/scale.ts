/**
 * Where it stops scaling: many simulated slots on several researches, one worker, a real server, a real Postgres:
 * npx tsx experiments/throughput/scale.ts [trials] [slots] [seconds of a run] [researches].
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { freePort } from '../../infra/process/free-port.ts';
import { startWorker } from '../../workers/start-worker.ts';
import { busySlots } from './busy.ts';
import { cpuSeconds } from '../../bench/support/cpu-seconds.ts';
import { quantile } from '../../bench/support/quantile.ts';
import { requireCompleted, simulatedHost } from './simulated.ts';
import { startTestStack } from '../../bench/support/stack.ts';
import { printTable } from '../../bench/support/table.ts';
import { noOpTask, writeTask } from '../../bench/support/tasks.ts';

const [TRIALS, SLOTS, RUN_SECONDS, RESEARCHES] = [20_000, 200, 30, 4].map((usual, i) =>
  Number(process.argv[2 + i] ?? usual),
) as [number, number, number, number];
const STRETCHES = 10;
const STRETCH = Math.round(TRIALS / STRETCHES);
const ids = Array.from({ length: RESEARCHES }, (_, index) => `scale-${index}`);

const stack = await startTestStack();
const metrics = `127.0.0.1:${await freePort(null)}`;
const worker = await startWorker({
  config: loadConfig({
    PERPETUA_HOME: stack.home,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    DATABASE_URL: stack.databaseUrl,
    PERPETUA_SLOTS: String(SLOTS),
    PERPETUA_LOG_LEVEL: 'error',
    PERPETUA_METRICS: metrics,
  }),
  queues: null,
  createCompute: simulatedHost(RUN_SECONDS),
});
try {
  for (const id of ids) {
    const task = await writeTask(join(stack.home, 'tasks', id), { task: noOpTask(id) });
    await stack.startResearch(id, { task, tempo: 1, budget: { trials: Math.ceil(TRIALS / RESEARCHES) } });
  }
  const rows = [];
  const first = look();
  let before = look();
  for (let n = 1; n <= STRETCHES; n += 1) {
    const to = n * STRETCH;
    const ended = `select count(*) >= ${to} as done from trials where status is not null`;
    await stack.until(`${to} trials`, ended, [], 3600);
    const now = look();
    rows.push({ to, before, now, ms: await overheads(), postgres: await postgresBytes() });
    before = now;
    process.stderr.write(`${to} of ${TRIALS} trials\n`);
  }
  printTable(
    `${SLOTS} simulated slots, runs of ${RUN_SECONDS} s, ${RESEARCHES} researches`,
    [
      ...['trials', 'trials/s', 'p50 s over the run', 'CPU ms a trial: worker', 'Temporal', 'Postgres'],
      ...['worker MB', 'Temporal MB', 'Postgres MB'],
    ],
    rows.map(({ to, before: was, now, ms, postgres }) => [
      `${to - STRETCH + 1}–${to}`,
      (STRETCH / (now.at - was.at)).toFixed(2),
      ms.toFixed(2),
      ...(['worker', 'temporal', 'postgres'] as const).map((part) =>
        (((now[part] - was[part]) * 1000) / STRETCH).toFixed(0),
      ),
      now.rss.toFixed(0),
      (now.file / 1e6).toFixed(0),
      (postgres / 1e6).toFixed(0),
    ]),
  );
  const { busy, steady, gaps } = await busySlots(stack.query, { slots: SLOTS, runSeconds: RUN_SECONDS });
  const [most] = await stack.query<{ runs: number }>(
    `select max(runs)::int as runs from (
       select count(distinct split_part(admission, '/', 1)) as runs from trials group by research_id) chains`,
  );
  await requireCompleted(stack.query);
  const beats = (await requests()).get('RecordActivityTaskHeartbeat') ?? 0;
  const total = [...(await requests()).values()].reduce((sum, count) => sum + count, 0);
  const seconds = before.at - first.at;
  printTable(
    'All of it',
    ['what', 'value'],
    [
      ['busy / steady', `${busy.toFixed(3)} / ${steady.toFixed(3)}`],
      ['idle gap p50 / p95, ms', `${(gaps.p50 * 1000).toFixed(0)} / ${(gaps.p95 * 1000).toFixed(0)}`],
      ['runs of a chain, at most', String(most?.runs ?? 0)],
      ["research's history: kB of one run of a chain, at most", ((await longestHistory()) / 1e3).toFixed(0)],
      ['heartbeats a second', (beats / seconds).toFixed(1)],
      ['requests to Temporal a trial, polls and heartbeats left out', ((total - beats) / TRIALS).toFixed(1)],
    ],
  );
} finally {
  worker.stop();
  await worker.stopped;
  await stack.stop();
}

/** Wall clock and CPU seconds so far, memory and the size of Temporal's file. */
function look() {
  const names = ['temporal.db', 'temporal.db-wal'];
  const self = process.cpuUsage();
  return {
    at: Date.now() / 1000,
    worker: (self.user + self.system) / 1e6,
    temporal: cpuSeconds(stack.temporal.pid()),
    postgres: cpuSeconds(stack.postgres.pid()),
    rss: Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024,
    file: names.reduce(
      (sum, name) => sum + (statSync(join(stack.home, 'temporal', name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    ),
  };
}

/** Seconds of the last trials beyond their runs, from admission to outcome. */
async function overheads(): Promise<number> {
  const last = await stack.query<{ seconds: number }>(
    `select extract(epoch from ended_at - created_at)::float8 as seconds from trials
     where status = 'completed' order by ended_at desc limit ${STRETCH}`,
  );
  return (
    quantile(
      last.map(({ seconds }) => seconds),
      0.5,
    ) - RUN_SECONDS
  );
}

/** Requests that the worker made of Temporal so far, by operation; long polls are counted elsewhere. */
async function requests(): Promise<Map<string, number>> {
  const text = await (await fetch(`http://${metrics}/metrics`)).text();
  const counts = new Map<string, number>();
  for (const [, labels = '', count] of text.matchAll(/^temporal_request\{(.*)\} (\d+)$/gm)) {
    const operation = /operation="(\w+)"/.exec(labels)?.[1] ?? '';
    counts.set(operation, (counts.get(operation) ?? 0) + Number(count));
  }
  return counts;
}

/** Bytes of the longest history among all runs of the researches. */
async function longestHistory(): Promise<number> {
  let most = 0;
  for await (const { historySize } of stack.client.workflow.list({ query: "WorkflowType = 'research'" }))
    most = Math.max(most, historySize ?? 0);
  return most;
}

async function postgresBytes(): Promise<number> {
  const [row] = await stack.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(row?.bytes ?? 0);
}
