/** Measures the overhead of the platform: trials whose run is `true`, on a real Temporal server and a real Postgres. */
import { join } from 'node:path';
import { packageRoot } from '../../config/paths.ts';
import { cpuSeconds } from '../support/cpu-seconds.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';
import { noOpTask, writeTask } from '../support/tasks.ts';
import { quantile } from '../support/quantile.ts';
import { printTable } from '../support/table.ts';

const TRIALS = Number(process.argv[2] ?? 120);
const SLOTS = 4;

/** SQL of the duration of each phase of a trial, from the stored times. */
const PHASES: Record<string, string> = {
  'admitted → candidate stored': 'ready_at - created_at',
  'candidate stored → run started': 'started_at - ready_at',
  'run started → run collected': '(select ended_at from runs where trial_id = trials.id limit 1) - started_at',
  'collected → outcome': 'ended_at - (select ended_at from runs where trial_id = trials.id limit 1)',
  'whole trial': 'ended_at - created_at',
};

/** CPU seconds so far of the worker with all its runs, of Temporal and of Postgres. */
function readCpu(stack: TestStack, worker: TestWorker): number[] {
  return [worker.process.pid ?? 0, stack.temporal.pid(), stack.postgres.pid()].map(cpuSeconds);
}

async function measure({ stack, worker }: { stack: TestStack; worker: TestWorker }, window: number) {
  const id = `overhead-${window}`;
  const task = await writeTask(join(stack.home, `tasks/overhead-${window}`), {
    task: noOpTask('overhead', { window }),
  });
  const began = Date.now();
  const before = readCpu(stack, worker);
  await stack.startResearch(id, { task, budget: { trials: TRIALS }, tempo: 1 });
  await stack.client.workflow.getHandle(id).result();
  const seconds = (Date.now() - began) / 1000;
  const trials = TRIALS + 1; // The trial of the original counts, too.
  const cpu = readCpu(stack, worker).map((after, part) => ((after - (before[part] ?? 0)) * 1000) / trials);
  const rows: string[][] = [];
  for (const [phase, between] of Object.entries(PHASES)) {
    const found = await stack.query<{ ms: number }>(
      `select extract(epoch from ${between})::float8 * 1000 as ms from trials where research_id = $1 and kind = ` +
        `'search' and status = 'completed'`,
      [id],
    );
    const values = found.map((row) => row.ms);
    rows.push([String(window), phase, quantile(values, 0.5).toFixed(0), quantile(values, 0.95).toFixed(0)]);
  }
  return { rows, rate: trials / seconds, cpu };
}

const stack = await startTestStack();
let worker: TestWorker | undefined;
try {
  // cpu.pl adopts orphaned processes, so that the seconds of runs are counted, too.
  const within = ['perl', join(packageRoot(), 'scripts/cpu.pl'), join(stack.home, 'cpu')];
  worker = await stack.startWorker({ slots: SLOTS, commandPrefix: within });
  const results = [];
  for (const window of [1, 4, 16]) results.push({ window, ...(await measure({ stack, worker }, window)) });
  printTable(
    `Time of a no-op trial by phase, ms (${TRIALS} trials, ${SLOTS} slots)`,
    ['window', 'phase', 'p50', 'p95'],
    results.flatMap((result) => result.rows),
  );
  printTable(
    'Throughput',
    ['window', 'trials per second'],
    results.map(({ window, rate }) => [String(window), rate.toFixed(1)]),
  );
  printTable(
    'CPU of a no-op trial, ms',
    ['window', 'worker and runs', 'Temporal', 'Postgres', 'together'],
    results.map(({ window, cpu }) =>
      [window, ...cpu, cpu.reduce((sum, part) => sum + part, 0)].map((value) => value.toFixed(0)),
    ),
  );
} finally {
  await worker?.stop(); // A kill would end cpu.pl alone.
  await stack.stop();
}
