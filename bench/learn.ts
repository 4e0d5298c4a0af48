/**
 * Compares learning updates of a policy with no learning and with random learning rates, on the task lr-knob:
 *   node dist/bench/learn.js [seeds] [updates]
 * Each repeat is a research in a lasting home (.perpetua/bench-learn, or PERPETUA_BENCH_HOME). An ended repeat is not
 * run again, an interrupted one continues. Writes the tables of docs/experiments/0030-… and docs/figures/learning.svg.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { connectTemporal } from '../cli/up/connect-temporal.ts';
import { startStack } from '../cli/up/stack.ts';
import { loadConfig } from '../config/load.ts';
import { homePaths, packageRoot } from '../config/paths.ts';
import { endServers } from './support/policy-servers.ts';
import { ARMS, idOf } from './learn/arms.ts';
import { randomMeans } from './learn/random-means.ts';
import { readUpdates, readRepeatState } from './learn/read.ts';
import { runRepeat } from './learn/repeat.ts';
import { latencyLines, tableLines, writeReport } from './learn/report.ts';
import { type RepeatResult, summarize } from './learn/summary.ts';

const [seeds = 1, updates = 25] = process.argv.slice(2).map(Number);
const own = join(packageRoot(), '.perpetua');
const home = process.env.PERPETUA_BENCH_HOME ?? join(own, 'bench-learn');
const cpuFile = join(home, 'cpu-seconds.json');
const say = (text: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

mkdirSync(home, { recursive: true });
const cpu = (existsSync(cpuFile) ? JSON.parse(readFileSync(cpuFile, 'utf8')) : {}) as Record<string, number | null>;
const kept = homePaths(own).temporalCli;
const env = { ...process.env, PERPETUA_HOME: home, ...(existsSync(kept) ? { TEMPORAL_CLI_PATH: kept } : {}) };
const config = loadConfig(env);
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());

const stack = await startStack(config, {
  onEvent: (event) => event.type !== 'step' && say(event.text),
  signal: interrupt.signal,
});
const { client, close } = await connectTemporal(config, stack.addresses());
const db = new pg.Pool({ connectionString: stack.addresses().databaseUrl, max: 2 });
try {
  // The loop goes seed by seed, so that all arms have the same number of repeats if it is interrupted.
  for (let seed = 1; seed <= seeds; seed += 1)
    for (const arm of ARMS) {
      const id = idOf(arm, seed);
      const spent = await runRepeat({ arm, seed, updates }, { client, db, home, signal: interrupt.signal });
      cpu[id] = spent ?? cpu[id] ?? null;
      writeFileSync(cpuFile, JSON.stringify(cpu));
      const means = (await readUpdates(db, id)).map(({ mean }) => mean.toFixed(2));
      say(`${id}: ${means.join(' ')}`);
    }
} catch (error) {
  if (!interrupt.signal.aborted) throw error;
  say('interrupted: what has ended is told, the next start goes on');
} finally {
  try {
    await report();
  } finally {
    await db.end();
    await close();
    await stack.stop();
    await endServers(home);
  }
}

/** Prints and writes the tables and curves of the ended repeats. */
async function report(): Promise<void> {
  const all = await Promise.all(
    ARMS.map(async (arm) => {
      const repeats = await Promise.all(
        Array.from({ length: seeds }, (_, index) => index + 1).map(async (seed): Promise<RepeatResult[]> => {
          const id = idOf(arm, seed);
          if ((await readRepeatState(db, id, updates)) !== 'finished') return [];
          const found = await readUpdates(db, id);
          return [{ seed, updates: found, means: found.map(({ mean }) => mean), cpu: cpu[id] ?? null }];
        }),
      );
      return { ...arm, repeats: repeats.flat() };
    }),
  );
  const random: RepeatResult[] = Array.from({ length: Math.max(10, seeds) }, (_, index) => {
    return { seed: index + 1, updates: [], means: randomMeans(index + 1, updates), cpu: null };
  });
  const curves = [
    ...all.filter(({ repeats }) => repeats.length > 0),
    { name: 'at random', colour: '#b8860b', repeats: random },
  ];
  const summaries = curves.map(({ name, repeats }) => summarize(name, repeats));
  const steps = curves.flatMap(({ repeats }) => repeats.flatMap((repeat) => repeat.updates));
  const lines = [
    `${updates} updates of 16 samples; mean improvement with its 95 % interval over seeds (one seed has none).`,
    '',
    ...tableLines(summaries),
  ];
  if (steps.length > 0) {
    const heading = 'From the last outcome of a batch to the first sample of its version:';
    lines.push('', heading, '', ...latencyLines(steps));
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  writeReport(lines, curves);
}
