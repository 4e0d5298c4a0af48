/**
 * Leaves `npm start` running and kills its parts at random with SIGKILL: npx tsx experiments/soak.ts [minutes] [seconds
 * between kills]. Uses this clone's own home. Ends with an orderly stop and a table, read by SQL.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { loadConfig } from '../config/load.ts';
import { readUpFile, type UpState } from '../config/up-file.ts';
import { printTable } from '../bench/support/table.ts';

const MINUTES = Number(process.argv[2] ?? 30);
const EVERY_SECONDS = Number(process.argv[3] ?? 60);
const config = loadConfig();

const log = createWriteStream(join(config.home, '..', 'soak.log'), { flags: 'a' });
const say = (text: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};

function start(): ChildProcess {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: config.packageRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  return child;
}

const VICTIMS: Record<string, (up: UpState) => number | undefined> = {
  worker: (up) => up.workers[0]?.pid,
  temporal: (up) => up.temporal.embedded?.pid,
  postgres: (up) => up.postgres.embedded?.pid,
  parent: (up) => up.owner.pid,
  dashboard: (up) => up.dashboard?.pid,
};

const kills: Record<string, number> = { worker: 0, temporal: 0, postgres: 0, parent: 0, dashboard: 0, everything: 0 };

/** Kills one part, or all of them; returns whether the parent has to be started again. */
async function strike(parent: ChildProcess): Promise<ChildProcess> {
  const up = await readUpFile(config.home);
  if (!up) return parent;
  const names = Object.keys(kills);
  const name = names[Math.floor(Math.random() * names.length)] ?? 'worker';
  const targets = name === 'everything' ? ['parent', 'worker', 'temporal', 'postgres', 'dashboard'] : [name];
  for (const target of targets) {
    const pid = VICTIMS[target]?.(up);
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // It was down already, from the last strike.
    }
  }
  kills[name] = (kills[name] ?? 0) + 1;
  say(`killed ${targets.join(', ')}`);
  if (!targets.includes('parent')) return parent;
  if (parent.exitCode === null && parent.signalCode === null) await once(parent, 'exit');
  await sleep(2000);
  return start();
}

async function read(url: string): Promise<string[][]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const one = async (text: string): Promise<string> => {
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    return String((rows[0]?.[0] as string | number | null | undefined) ?? '–');
  };
  const rows = [
    ['trials admitted', await one('select count(*) from trials')],
    ['trials ended', await one('select count(*) from trials where status is not null')],
    [
      '… by status',
      await one(
        "select string_agg(status || ' ' || n, ', ') from (select status, count(*) n from trials where status is not null group by 1) s",
      ),
    ],
    ['lost', await one("select count(*) from trials where status = 'lost'")],
    [
      'numbers missing or doubled',
      await one('select max(n) - count(distinct n) + count(*) - count(distinct n) from trials'),
    ],
    ['runs of one placement doubled', await one('select count(*) - count(distinct (trial_id, placement)) from runs')],
    ['placed once more', await one('select count(*) from runs where placement > 0')],
    [
      're-attached monitors',
      await one('select coalesce(sum(attempts - 1) filter (where attempts > 1), 0) from trials'),
    ],
    ['points doubled', await one('select count(*) - count(distinct (trial_id, placement, seq)) from points')],
    [
      'verdicts',
      await one(
        "select string_agg(verdict || ' ' || n, ', ') from (select verdict, count(*) n from trials where status is not null group by 1) v",
      ),
    ],
    ['claims', await one('select count(*) from claims')],
    [
      'baseline',
      await one(
        "select avg(value)::numeric(8,4) || ' ± ' || coalesce(stddev(value), 0)::numeric(8,4) || ' of ' || count(*) from trials where kind = 'baseline' and status = 'completed'",
      ),
    ],
    ['best claim', await one("select value::numeric(8,4) || ' of ' || n from claims order by seq desc limit 1")],
    [
      'slots leased by ended trials',
      await one(
        "select count(*) from slots join trials on trials.id = slots.trial_id where state = 'leased' and trials.status is not null",
      ),
    ],
  ];
  await client.end();
  return rows;
}

let parent = start();
const end = Date.now() + MINUTES * 60_000;
await sleep(EVERY_SECONDS * 1000);
while (Date.now() < end) {
  parent = await strike(parent);
  await sleep(EVERY_SECONDS * (500 + Math.random() * 1000));
}
await sleep(30_000);
const up = await readUpFile(config.home);
if (!up) throw new Error(`Expected the stack to be up after the last kill; see ${config.home}/../soak.log`);
printTable(
  `${MINUTES} minutes of npm start under fire`,
  ['what', 'count'],
  [
    ...Object.entries(kills).map(([name, count]) => [`kills: ${name}`, String(count)]),
    ...(await read(up.postgres.url)),
  ],
);
parent.kill('SIGINT');
await once(parent, 'exit');
say('stopped');
