/**
 * How far short researches of the demo task get, through the real loop: npx tsx experiments/researches.ts [count] [trials].
 * Needs `npm start` running in this clone; bears with its being killed and started again. One after another.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { loadConfig } from '../config/load.ts';
import { readUpFile } from '../config/up-file.ts';
import { printTable } from '../bench/support/table.ts';

const COUNT = Number(process.argv[2] ?? 10);
const TRIALS = Number(process.argv[3] ?? 60);
const POLL_MS = 5000;
const config = loadConfig();

/** Rows of a statement; null while the stack is down. */
async function ask<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[] | null> {
  const up = await readUpFile(config.home).catch(() => null);
  if (!up) return null;
  const client = new pg.Client({ connectionString: up.postgres.url });
  try {
    await client.connect();
    return (await client.query<Row>(text, values)).rows;
  } catch {
    return null; // killed just now; it comes back
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Starts a research, again and again until the database has it: the stack may be down. */
async function start(id: string): Promise<void> {
  const cli = join(config.packageRoot, 'dist/cli/main.js');
  const args = [cli, 'start', 'nano-lm', '--id', id, '--budget-trials', String(TRIALS), '--json'];
  while ((await ask('select 1 from researches where id = $1', [id]))?.length !== 1) {
    await promisify(execFile)(process.execPath, args).catch(() => undefined);
    await sleep(POLL_MS);
  }
}

async function untilStopped(id: string): Promise<void> {
  while ((await ask("select 1 from researches where id = $1 and phase = 'stopped'", [id]))?.length !== 1)
    await sleep(POLL_MS);
}

interface Outcome extends pg.QueryResultRow {
  baseline: number;
  sd: number;
  best: number | null;
  of: number | null;
  at: number | null;
  runs: number;
  lost: number;
  minutes: number;
}

async function outcomeOf(id: string): Promise<Outcome> {
  for (;;) {
    const rows = await ask<Outcome>(
      `select (select avg(value) from trials where research_id = $1 and kind = 'baseline' and status = 'completed')::float8 as baseline,
         (select stddev(value) from trials where research_id = $1 and kind = 'baseline' and status = 'completed')::float8 as sd,
         claim.value::float8 as best, claim.n as of, claim.of_trial as at,
         (select count(*)::int from runs where trial_id like $1 || '/%') as runs,
         (select count(*)::int from trials where research_id = $1 and status = 'lost') as lost,
         (select extract(epoch from max(ended_at) - min(created_at)) / 60 from trials where research_id = $1)::float8 as minutes
       from (select 1) one left join lateral
         (select value, n, of_trial from claims where research_id = $1 order by seq desc limit 1) claim on true`,
      [id],
    );
    if (rows?.[0]) return rows[0];
    await sleep(POLL_MS);
  }
}

const fixed = (value: number | null, digits: number): string => value?.toFixed(digits) ?? '–';
const table: string[][] = [];
for (let index = 1; index <= COUNT; index += 1) {
  const id = `short-${index}`;
  await start(id);
  await untilStopped(id);
  const { baseline, sd, best, of, at, runs, lost, minutes } = await outcomeOf(id);
  const gain = best === null ? 0 : (baseline - best) / sd;
  table.push([
    ...[id, `${fixed(baseline, 3)} ± ${fixed(sd, 3)}`, fixed(best, 3), String(of ?? '–'), String(at ?? '–')],
    ...[fixed(gain, 1), String(runs), String(lost), fixed(minutes, 1)],
  ]);
  process.stdout.write(`${table.at(-1)?.join('  ') ?? ''}\n`);
}
printTable(
  `${COUNT} researches of ${TRIALS} search trials`,
  ['research', 'baseline, sd of one run', 'best claim', 'runs', 'of trial', 'gain, sd', 'all runs', 'lost', 'minutes'],
  table,
);
