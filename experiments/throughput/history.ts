/** What a long research leaves behind: events, bytes, memory, and whether a trial costs more at the end than at the start. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from '../../bench/support/cpu-seconds.ts';
import { startTestStack } from '../../bench/support/stack.ts';
import { noOpTask, writeTask } from '../../bench/support/tasks.ts';
import { quantile } from '../../bench/support/quantile.ts';
import { printTable } from '../../bench/support/table.ts';

const TRIALS = Number(process.argv[2] ?? 2000);
/** Trials that are looked at together. */
const STRETCH = Math.max(1, Math.min(100, Math.round(TRIALS / 10)));

interface Parts {
  worker: number;
  temporal: number;
  postgres: number;
}

const stack = await startTestStack();
try {
  const worker = await stack.startWorker({ slots: 4 });
  const task = await writeTask(join(stack.home, 'tasks/history'), {
    task: noOpTask('history', { window: 8 }),
  });
  const rss = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker.process.pid}/status`, 'utf8'))?.[1]) / 1024;
  await stack.startResearch('history', { task, budget: { trials: TRIALS }, tempo: 1 });
  const parts = { worker: worker.process.pid ?? 0, temporal: stack.temporal.pid(), postgres: stack.postgres.pid() };
  const stretches = [];
  let before = look(parts);
  let rssEarly = 0;
  for (let to = STRETCH; to <= TRIALS; to += STRETCH) {
    const ended = `select count(*) >= ${to} as done from trials where status is not null`;
    await stack.until(`${to} trials`, ended, [], 600);
    rssEarly ||= rss();
    const now = look(parts);
    stretches.push({ to, seconds: now.at - before.at, cpu: subtract(now.cpu, before.cpu) });
    before = now;
  }
  await stack.client.workflow.getHandle('history').result();

  let events = 0;
  let bytes = 0;
  let runs = 0;
  const chain = [];
  for await (const info of stack.client.workflow.list({ query: "WorkflowId = 'history'" })) chain.push(info);
  for (const info of chain) {
    runs += 1;
    events += info.historyLength;
    bytes += info.historySize ?? 0;
  }
  const child = await stack.client.workflow.getHandle(`history/${TRIALS}`).describe();
  const file = join(stack.home, 'temporal');
  const [db] = await stack.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  const ms = await stack.query<{ n: number; ms: number }>(
    `select n, extract(epoch from ended_at - created_at)::float8 * 1000 as ms from trials where status = 'completed' order by n`,
  );
  const [first, last] = [stretches[0], stretches.at(-1)].map((one) => (one ? totalOf(one.cpu) : NaN));
  const ratio = (last ?? NaN) / (first ?? NaN);
  printTable(
    `Each ${STRETCH} trials: what one cost`,
    ['trials', 'p50 ms', 'trials/s', 'CPU ms: worker', 'Temporal', 'Postgres'],
    stretches.map(({ to, seconds, cpu }) => [
      `${to - STRETCH + 1}–${to}`,
      quantile(
        ms.filter(({ n }) => n > to - STRETCH && n <= to).map((row) => row.ms),
        0.5,
      ).toFixed(0),
      (STRETCH / seconds).toFixed(2),
      ...[cpu.worker, cpu.temporal, cpu.postgres].map((each) => ((1000 * each) / STRETCH).toFixed(1)),
    ]),
  );
  printTable(
    `After ${TRIALS} trials`,
    ['what', 'value'],
    [
      [`CPU of the last ${STRETCH} against the first`, ratio.toFixed(2)],
      ['research: runs of the chain', String(runs)],
      ['research: events a trial', (events / TRIALS).toFixed(1)],
      ['research: history bytes a trial', (bytes / TRIALS).toFixed(0)],
      ['trial: events', String(child.historyLength)],
      ['trial: history bytes', String(child.historySize ?? 0)],
      ['Temporal file, MB', (temporalBytes(file) / 1e6).toFixed(1)],
      ['Postgres, kB a trial', (Number(db?.bytes ?? 0) / 1e3 / TRIALS).toFixed(1)],
      [`worker memory after ${STRETCH} trials, MB`, rssEarly.toFixed(0)],
      ['worker memory at the end, MB', rss().toFixed(0)],
    ],
  );
} finally {
  await stack.stop();
}

/** Wall clock and CPU seconds so far. */
function look(parts: Parts): { at: number; cpu: Parts } {
  const { worker, temporal, postgres } = parts;
  return {
    at: Date.now() / 1000,
    cpu: { worker: cpuSeconds(worker), temporal: cpuSeconds(temporal), postgres: cpuSeconds(postgres) },
  };
}

function totalOf(cpu: Parts): number {
  return cpu.worker + cpu.temporal + cpu.postgres;
}

function subtract(a: Parts, b: Parts): Parts {
  return {
    worker: a.worker - b.worker,
    temporal: a.temporal - b.temporal,
    postgres: a.postgres - b.postgres,
  };
}

function temporalBytes(folder: string): number {
  const names = ['temporal.db', 'temporal.db-wal'];
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
