/** What a long research leaves behind: events, bytes, memory, and whether a trial costs more at the end than at the start. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startTestStack } from './support/stack.ts';
import { noOpTask, writeTask } from './support/tasks.ts';
import { quantile } from './support/quantile.ts';
import { printTable } from './support/table.ts';

const TRIALS = Number(process.argv[2] ?? 2000);

const stack = await startTestStack();
try {
  const worker = await stack.startWorker({ slots: 4 });
  const task = await writeTask(join(stack.home, 'tasks/history'), {
    task: noOpTask('history', { window: 8 }),
  });
  const rss = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker.process.pid}/status`, 'utf8'))?.[1]) / 1024;
  await stack.startResearch('history', { task, budget: { trials: TRIALS }, tempo: 1 });
  await stack.until('the first hundred', `select last_n > 100 as done from researches`, [], 600);
  const rssEarly = rss();
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
  const first = ms.slice(10, 110).map((row) => row.ms);
  const last = ms.slice(-100).map((row) => row.ms);
  printTable(
    `After ${TRIALS} trials`,
    ['what', 'value'],
    [
      ['research: runs of the chain', String(runs)],
      ['research: events a trial', (events / TRIALS).toFixed(1)],
      ['research: history bytes a trial', (bytes / TRIALS).toFixed(0)],
      ['trial: events', String(child.historyLength)],
      ['trial: history bytes', String(child.historySize ?? 0)],
      ['Temporal file, MB', (temporalBytes(file) / 1e6).toFixed(1)],
      ['Postgres, kB a trial', (Number(db?.bytes ?? 0) / 1e3 / TRIALS).toFixed(1)],
      ['worker memory after 100 trials, MB', rssEarly.toFixed(0)],
      ['worker memory at the end, MB', rss().toFixed(0)],
      ['trial 10–110, p50 ms', quantile(first, 0.5).toFixed(0)],
      ['last 100 trials, p50 ms', quantile(last, 0.5).toFixed(0)],
      ['ratio', (quantile(last, 0.5) / quantile(first, 0.5)).toFixed(2)],
    ],
  );
} finally {
  await stack.stop();
}

function temporalBytes(folder: string): number {
  const names = ['temporal.db', 'temporal.db-wal'];
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
