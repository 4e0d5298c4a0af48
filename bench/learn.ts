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
import { ARMS, CONTROL, idOf } from './learn/arms.ts';
import { differenceLines } from './learn/differences.ts';
import { answersOf, evaluateLast } from './learn/evaluate.ts';
import { randomMeans } from './learn/random-means.ts';
import { readUpdates, readRepeatState } from './learn/read.ts';
import { runRepeat } from './learn/repeat.ts';
import { latencyLines, tableLines, writeReport } from './learn/report.ts';
import { type RepeatResult, summarize } from './learn/summary.ts';

const [seeds = 4, updates = 12] = process.argv.slice(2).map(Number);
const own = join(packageRoot(), '.perpetua');
const home = process.env.PERPETUA_BENCH_HOME ?? join(own, 'bench-learn');
const keptFile = join(home, 'repeats.json');
const say = (text: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

mkdirSync(home, { recursive: true });
/** Facts of a repeat that its database does not have: the CPU seconds, and the result of the evaluation. */
type Kept = Record<string, { cpu?: number; evaluation?: Awaited<ReturnType<typeof evaluateLast>> }>;
const kept = (existsSync(keptFile) ? JSON.parse(readFileSync(keptFile, 'utf8')) : {}) as Kept;
const cli = homePaths(own).temporalCli;
const env = { ...(existsSync(cli) ? { TEMPORAL_CLI_PATH: cli } : {}), ...process.env, PERPETUA_HOME: home };
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
    for (const arm of ARMS.filter((arm) => seed <= arm.seeds)) {
      const id = idOf(arm, seed);
      const spent = await runRepeat({ arm, seed, updates }, { client, db, home, signal: interrupt.signal });
      kept[id] = { ...kept[id], ...(spent === null ? {} : { cpu: spent }) };
      writeFileSync(keptFile, JSON.stringify(kept));
      const means = (await readUpdates(db, id)).map(({ mean }) => mean.toFixed(2));
      say(`${id}: ${means.join(' ')}`);
      kept[id].evaluation ??= await evaluateLast(id, { seed, db, home, signal: interrupt.signal });
      writeFileSync(keptFile, JSON.stringify(kept));
      const { readShare, readMean } = answersOf(kept[id].evaluation);
      say(`${id}: last version: ${readShare.toFixed(2)} readable, worth ${readMean.toFixed(2)}`);
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
          const { cpu = null, evaluation } = kept[id] ?? {};
          const answers = evaluation ? answersOf(evaluation) : null;
          return [{ seed, updates: found, means: found.map(({ mean }) => mean), cpu, evaluation: answers }];
        }),
      );
      return { ...arm, repeats: repeats.flat() };
    }),
  );
  const random: RepeatResult[] = Array.from({ length: Math.max(10, seeds) }, (_, index) => {
    return { seed: index + 1, updates: [], means: randomMeans(index + 1, updates), cpu: null, evaluation: null };
  });
  const learning = all.filter(({ name, repeats }) => name !== CONTROL && repeats.length > 0);
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
    '',
    'Gain over lr 0 of the same seed, and its parts: more readable answers, and better values of the readable ones:',
    '',
    ...differenceLines(learning, { name: CONTROL, repeats: all.find(({ name }) => name === CONTROL)?.repeats ?? [] }),
  ];
  if (steps.length > 0) lines.push('', ...latencyLines(steps));
  process.stdout.write(`${lines.join('\n')}\n`);
  writeReport(lines, curves);
}
