/** How busy simulated slots are: a fake adapter that sleeps, a real server, a real Postgres, across hand-overs. */
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { startWorker } from '../../workers/start-worker.ts';
import { busySlots } from './busy.ts';
import { quantile } from '../../bench/support/quantile.ts';
import { answerWith, startScriptedEndpoint } from '../../bench/support/scripted-endpoint.ts';
import { requireCompleted, simulatedHost } from './simulated.ts';
import { startTestStack, type TestStack } from '../../bench/support/stack.ts';
import { printTable } from '../../bench/support/table.ts';
import { noOpTask, writeTask } from '../../bench/support/tasks.ts';

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
const TRIALS_PER_RUN = 200;
const EVENTS_PER_RUN: Record<number, number> = { 4: 150, 16: 600 };
/** Runs of a slot at the least: slots that begin together end together, and take some rounds to come apart. */
const ROUNDS = 10;

async function measure({ slots, runSeconds, proposeSeconds }: Case): Promise<string[]> {
  const stack = await startTestStack();
  const endpoint = await startScriptedEndpoint({
    script: ({ n }: { n: number }) => ({ ...answerWith(edit(n)), delayMs: proposeSeconds * 1000 }),
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
    createCompute: simulatedHost(runSeconds),
  });
  try {
    const task = await writeTask(join(stack.home, 'tasks/slots'), {
      task: noOpTask('slots', { proposer: proposeSeconds > 0 ? 'llm' : 'random' }),
    });
    const seconds = Math.max(SECONDS, runSeconds * ROUNDS);
    const handOver = (slots * seconds) / runSeconds > TRIALS_PER_RUN ? {} : { maxHistory: EVENTS_PER_RUN[slots] };
    await stack.startResearch('slots', { task, tempo: 1, ...handOver });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    await requireCompleted(stack.query);
    return await columnsOf(stack.query, { slots, runSeconds, proposeSeconds });
  } finally {
    worker.stop();
    await worker.stopped;
    await endpoint.close();
    await stack.stop();
  }
}

async function columnsOf(query: TestStack['query'], of: Case): Promise<string[]> {
  const waits = await query<{ ready: number }>(
    `select extract(epoch from started_at - ready_at)::float8 as ready
     from trials where started_at is not null order by started_at`,
  );
  const [staleness] = await query<{ mean: number }>(
    "select avg(staleness)::float8 as mean from trials where kind = 'search'",
  );
  const [chain] = await query<{ runs: number }>(
    `select count(distinct split_part(admission, '/', 1))::int as runs from trials`,
  );
  const { runs, busy, steady, gaps } = await busySlots(query, of);
  const ms = (value: number): string => (value * 1000).toFixed(0);
  return [
    String(of.slots),
    String(of.runSeconds),
    of.proposeSeconds === 0 ? 'instant' : `${of.proposeSeconds} s`,
    String(runs),
    busy.toFixed(3),
    steady.toFixed(3),
    `${ms(gaps.p50)} / ${ms(gaps.p95)}`,
    ms(
      quantile(
        waits.slice(of.slots).map((wait) => wait.ready),
        0.5,
      ),
    ),
    (staleness?.mean ?? 0).toFixed(1),
    String(chain?.runs ?? 0),
  ];
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
