/** How busy simulated slots are: a fake adapter that sleeps, a real server, a real Postgres, across hand-overs. */
import { join } from 'node:path';
import { loadConfig } from '../config/load.ts';
import { createFakeCompute } from '../infra/compute/fake.ts';
import { startWorker } from '../workers/start-worker.ts';
import { quantile } from './support/quantile.ts';
import { say, startScriptedEndpoint } from './support/scripted-endpoint.ts';
import { startTestStack } from './support/stack.ts';
import { printTable } from './support/table.ts';
import { noOpTask, writeTask } from './support/tasks.ts';

interface Case {
  slots: number;
  runSeconds: number;
  /** Seconds of a model call; 0 for the instant random proposer. */
  proposeSeconds: number;
}

const SECONDS = Number(process.argv[2] ?? 90);
const ONLY = process.argv[3];
const CASES: Case[] = [4, 16].flatMap((slots) =>
  [2, 10, 30].flatMap((runSeconds) => [0, 2].map((proposeSeconds) => ({ slots, runSeconds, proposeSeconds }))),
);
/** Trials that get to a hand-over in earnest; a case of fewer hands over after so many events. */
const TRIALS_PER_RUN = 500;
const EVENTS_PER_RUN: Record<number, number> = { 4: 150, 16: 600 };
/** Rounds of proposal and run that a slot goes through before its share is called steady: the window is finding its size. */
const WARM_UP = 2;
/** Runs of a slot at the least: slots that begin together end together, and take some rounds to come apart. */
const ROUNDS = 10;

async function measure({ slots, runSeconds, proposeSeconds }: Case): Promise<string[]> {
  const stack = await startTestStack();
  const endpoint = await startScriptedEndpoint({
    script: ({ n }: { n: number }) => ({ ...say(edit(n)), delayMs: proposeSeconds * 1000 }),
  });
  const env = {
    PERPETUA_HOME: stack.home,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    DATABASE_URL: stack.databaseUrl,
    PERPETUA_SLOTS: String(slots),
    PERPETUA_LOG_LEVEL: 'error',
    ...(proposeSeconds > 0 ? { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'bench' } : {}),
  };
  const worker = await startWorker({
    config: loadConfig(env),
    queues: null,
    createCompute: ({ host }) => createFakeCompute({ host, sleepSeconds: runSeconds }),
  });
  try {
    const task = await writeTask(join(stack.home, 'tasks/slots'), {
      task: noOpTask('slots', { proposer: proposeSeconds > 0 ? 'llm' : 'random' }),
    });
    const seconds = Math.max(SECONDS, runSeconds * ROUNDS);
    const handOver = (slots * seconds) / runSeconds > TRIALS_PER_RUN ? {} : { maxHistory: EVENTS_PER_RUN[slots] };
    await stack.startResearch('slots', { task, tempo: 1, ...handOver });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return await busy(stack.query, { slots, runSeconds, proposeSeconds });
  } finally {
    worker.stop();
    await worker.stopped;
    await endpoint.close();
    await stack.stop();
  }
}

async function busy(
  query: Awaited<ReturnType<typeof startTestStack>>['query'],
  { slots, runSeconds, proposeSeconds }: Case,
): Promise<string[]> {
  const runs = await query<{ slot: string; began: number; ended: number }>(
    `select slot_id as slot, extract(epoch from launched_at)::float8 as began,
       extract(epoch from coalesce(ended_at, now()))::float8 as ended
     from runs where launched_at is not null order by launched_at`,
  );
  const waits = await query<{ slot: number | null; ready: number }>(
    `select slot_wait_seconds as slot, extract(epoch from started_at - ready_at)::float8 as ready
     from trials where started_at is not null order by started_at`,
  );
  const [staleness] = await query<{ mean: number }>(
    "select avg(staleness)::float8 as mean from trials where kind = 'search'",
  );
  const [chain] = await query<{ runs: number }>(
    `select count(distinct split_part(admission, '/', 1))::int as runs from trials`,
  );
  const first = Math.min(...runs.map((run) => run.began));
  const last = Math.max(...runs.map((run) => run.ended));
  const share = (from: number): number =>
    runs.reduce(
      (sum, run) => sum + Math.max(0, Math.min(run.began + runSeconds, last) - Math.max(run.began, from)),
      0,
    ) /
    (slots * (last - from));
  const steadyFrom = first + (runSeconds + proposeSeconds) * WARM_UP;
  const gaps = gapsBetween(runs.filter((run) => run.began >= steadyFrom));
  const ms = (value: number): string => (value * 1000).toFixed(0);
  return [
    String(slots),
    String(runSeconds),
    proposeSeconds === 0 ? 'instant' : `${proposeSeconds} s`,
    String(runs.length),
    share(first).toFixed(3),
    share(steadyFrom).toFixed(3),
    `${ms(quantile(gaps, 0.5))} / ${ms(quantile(gaps, 0.95))}`,
    ms(
      quantile(
        waits.slice(slots).map((wait) => wait.ready),
        0.5,
      ),
    ),
    (staleness?.mean ?? 0).toFixed(1),
    String(chain?.runs ?? 0),
  ];
}

/** Seconds from the end of a run to the start of the next one on the same slot. */
function gapsBetween(runs: { slot: string; began: number; ended: number }[]): number[] {
  const last = new Map<string, number>();
  return runs.flatMap((run) => {
    const before = last.get(run.slot);
    last.set(run.slot, run.ended);
    return before === undefined ? [] : [Math.max(0, run.began - before)];
  });
}

const edit = (n: number): string =>
  `Hypothesis: value ${n}.\n\nknobs.env\n\`\`\`\n<<<<<<< SEARCH\nX=1.5\n=======\nX=${(n % 997) / 50 + 0.01}\n>>>>>>> REPLACE\n\`\`\`\n`;

const rows: string[][] = [];
for (const one of CASES) {
  const name = `${one.slots}x${one.runSeconds}x${one.proposeSeconds}`;
  if (ONLY && !ONLY.split(',').includes(name)) continue;
  rows.push(await measure(one));
  process.stderr.write(`${name} done\n`);
}
printTable(
  'Simulated slots',
  [
    'slots',
    'run s',
    'proposal',
    'runs',
    'busy',
    'steady',
    'idle gap ms p50/p95',
    'ready-wait ms',
    'staleness',
    'runs of the chain',
  ],
  rows,
);
