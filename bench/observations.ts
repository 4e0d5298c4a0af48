/**
 * Measures the CPU of reading the observations for a draw, in a small and a large research whose trials all have
 * candidates of their own: node dist/bench/observations.js [trials] [reads]
 * Prints the parts of Node and Postgres. Fails if the large research costs more than 1.2 times as much.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { packageRoot } from '../config/paths.ts';
import { connect } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { createStore } from '../db/store.ts';
import { FURTHEST } from '../domain/search/observations.ts';
import { cpuSeconds } from './support/cpu-seconds.ts';
import { seedResearch } from './support/seed/seed-research.ts';
import { startTestPostgres, throwawayHome } from './support/servers.ts';
import { printTable } from './support/table.ts';
import { removeTree } from '../infra/remove-tree.ts';

const LARGE = Number(process.argv[2] ?? 100_000);
const READS = Number(process.argv[3] ?? 200);
const SMALL = 1000;
/** Number of the first trials that are seeded in full; the later ones are only rows. */
const FIRST = 50;
const ROUNDS = 5;
const KNOBS = 8;
/** Limit for the CPU of the large research over that of the small one. */
const MOST = 1.2;

const home = await throwawayHome();
const postgres = await startTestPostgres(home, true);
// There is one connection, so that one process has all the CPU of Postgres that is counted.
const database = connect(postgres.url, { max: 1, onError: (error) => process.stderr.write(`${error.message}\n`) });
try {
  await migrate(postgres.url);
  for (const trials of [SMALL, LARGE]) await seed(trials);
  await fillObservations();
  await measure();
} finally {
  await database.close();
  await postgres.stop();
  await removeTree(home);
}

function idOf(trials: number): string {
  return `of-${trials}`;
}

/** Seeds a research with running trials, and adds that many ended ones, one in twenty without a value. */
async function seed(trials: number): Promise<void> {
  await seedResearch(database.db, { id: idOf(trials), trials: FIRST });
  const id = (n: string) => sql.raw(`'${idOf(trials)}/candidate-' || ${n}`);
  await database.db.execute(sql`
    insert into candidates (id, immutable_hash, files)
    select ${id('n')}, 'i', '{}' from generate_series(1, ${trials}::int) n`);
  await database.db.execute(sql`
    insert into trials (id, research_id, n, kind, seed, task_hash, pool, admission, candidate_id, parent_id, proposer,
      status, value, seconds, ended_at)
    select researches.id || '/' || (last_n + n), researches.id, last_n + n, 'search', n, task_hash, 'lab', 'a',
      ${id('n')}, baseline_candidate, 'random', case when n % 20 = 0 then 'crashed' else 'completed' end,
      case when n % 20 <> 0 then (n::bigint * 7919) % 1000003 end, 60, now() + n * interval '1 second'
    from generate_series(1, ${trials}::int) n, researches where researches.id = ${idOf(trials)}`);
}

/** Inserts the rows that proposals and outcomes would have written, each with its own values of the knobs. */
async function fillObservations(): Promise<void> {
  const text = await readFile(join(packageRoot(), 'db/migrations/0035_observations.sql'), 'utf8');
  await database.db.execute(sql.raw(text.split('--> statement-breakpoint').at(-1) ?? ''));
  await database.db.execute(sql`
    update observations set knobs = (
      select jsonb_object_agg('train.py:KNOB_' || knob, hashtext(candidate_id || knob)::float8 / 1000)
      from generate_series(1, ${KNOBS}::int) knob)`);
  await database.db.execute(sql`vacuum full analyze observations`);
}

interface Cost {
  node: number;
  postgres: number;
  read: number;
}

async function measure(): Promise<void> {
  const { rows } = await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  const costs = new Map<number, Cost[]>([SMALL, LARGE].map((trials) => [trials, []]));
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [trials, all] of costs) {
      const cost = await costOf(trials, pid);
      if (round > 0) all.push(cost);
    }
  const [small, large] = [SMALL, LARGE].map((trials) => bestOf(costs.get(trials) ?? []));
  const total = ({ node, postgres: part }: Cost): number => node + part;
  if (!small || !large) throw new Error('expected a cost of both sizes');
  const ratio = total(large) / total(small);
  printTable(
    `CPU of one read of observations, in ms: the best of ${ROUNDS} rounds of ${READS} reads`,
    ['trials', 'observations', 'Node', 'Postgres', 'together', 'ratio'],
    [
      [SMALL, small.read, small.node, small.postgres, total(small), 1],
      [LARGE, large.read, large.node, large.postgres, total(large), ratio],
    ],
  );
  if (ratio > MOST) {
    process.stderr.write(`too much: ${ratio.toFixed(2)} times, expected at most ${MOST}\n`);
    process.exitCode = 1;
  }
}

/** Measures the CPU milliseconds of one read, and counts its observations. */
async function costOf(trials: number, pid: number): Promise<Cost> {
  const { trial } = createStore(database.db);
  const input = { researchId: idOf(trials), taskHash: await taskHashOf(trials), direction: 'minimize' as const };
  const before = { node: process.cpuUsage(), postgres: cpuSeconds(pid) };
  let read = 0;
  for (let i = 0; i < READS; i += 1) {
    const { best, latest } = await trial.readObservations({ ...input, reach: FURTHEST });
    read = best.length + latest.length;
  }
  const { user, system } = process.cpuUsage(before.node);
  return {
    node: (user + system) / 1000 / READS,
    postgres: ((cpuSeconds(pid) - before.postgres) * 1000) / READS,
    read,
  };
}

async function taskHashOf(trials: number): Promise<string> {
  const research = await createStore(database.db).research.findResearch(idOf(trials));
  if (!research) throw new Error(`expected the research ${idOf(trials)} to be stored`);
  return research.taskHash;
}

/** The cheapest round, since others use the machine, too. */
function bestOf(costs: readonly Cost[]): Cost | undefined {
  return costs.toSorted((a, b) => a.node + a.postgres - (b.node + b.postgres))[0];
}
