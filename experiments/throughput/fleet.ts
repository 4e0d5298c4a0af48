/**
 * How busy slots of machines reached by SSH are, against local ones: real sshds on loopback, real runs that sleep, a real
 * server, a real Postgres; and how long runs are alone when their worker was killed.
 * `npx tsx experiments/throughput/fleet.ts [SECONDS] [CASES]`
 */
import { join } from 'node:path';
import { connect } from '../../db/connect.ts';
import { applyFleet } from '../../db/host/apply-fleet.ts';
import { Fleet } from '../../domain/fleet/fleet.ts';
import { busySlots } from './busy.ts';
import { cpuSeconds, machineCpuSeconds } from '../../bench/support/cpu-seconds.ts';
import { quantile } from '../../bench/support/quantile.ts';
import { startSlowRelay } from '../../test/support/machine/slow-relay.ts';
import { noSshd, startSshd } from '../../bench/support/sshd.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../bench/support/stack.ts';
import { printTable } from '../../bench/support/table.ts';
import { noOpTask, writeTask } from '../../bench/support/tasks.ts';

interface Case {
  name: string;
  runSeconds: number;
  /** Round-trip time to the hosts in milliseconds; null for slots of this machine. */
  latencyMs: number | null;
}

const SECONDS = Number(process.argv[2] ?? 100);
const ONLY = process.argv[3]?.split(',');
const HOSTS = 4;
const SLOTS = 16;
const CASES: Case[] = [2, 10].flatMap((runSeconds) =>
  [null, 0, 50].map((latencyMs) => ({
    name: latencyMs === null ? `local-${runSeconds}` : `ssh-${runSeconds}-${latencyMs}`,
    runSeconds,
    latencyMs,
  })),
);

/** Runs `work` on a stack with so many slots, local ones or of four hosts, in the pool that it is told. */
async function onSlots<T>(
  latencyMs: number | null,
  work: (on: { stack: TestStack; pool: string; worker: TestWorker }) => Promise<T>,
  slots = SLOTS,
): Promise<T> {
  const stack = await startTestStack();
  const closing: (() => unknown)[] = [];
  try {
    const worker = await stack.startWorker({ slots: latencyMs === null ? slots : 1 });
    if (latencyMs === null) return await work({ stack, pool: 'local', worker });
    const hosts = [];
    for (let index = 0; index < HOSTS; index += 1) {
      const sshd = await startSshd();
      closing.push(() => sshd.destroy());
      const relay = latencyMs > 0 ? await startSlowRelay({ port: sshd.port, delayMs: latencyMs / 2 }) : undefined;
      if (relay) closing.push(() => relay.close());
      hosts.push({
        ...{ name: `host-${index}`, pool: 'ssh', slots: slots / HOSTS, address: '127.0.0.1' },
        ...{ port: relay?.port ?? sshd.port, user: sshd.user, keyFile: sshd.key, hostKey: sshd.fingerprint },
      });
    }
    const database = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
    closing.push(() => database.close());
    await applyFleet(database.db, Fleet.parse({ pools: { ssh: { slots: 'cpu' } }, hosts }));
    await stack.until(
      'all hosts to be well',
      `select count(*) = $1 as done, json_agg(last_error) from hosts where seen_at is not null`,
      [HOSTS],
    );
    return await work({ stack, pool: 'ssh', worker });
  } finally {
    await stack.stop();
    for (const close of closing.reverse()) await close();
  }
}

async function sleepers(
  stack: TestStack,
  of: { pool: string; runSeconds: number; trials?: number; window?: number },
): Promise<void> {
  const { run, ...rest } = noOpTask('sleep');
  const task = await writeTask(join(stack.home, 'tasks/sleep'), {
    task: {
      ...rest,
      run: {
        ...run,
        command: `sleep ${of.runSeconds}; : > out.txt`,
        budget: { seconds: of.runSeconds + 60, kind: 'wall' },
        resources: { pool: of.pool, memoryMb: 64, diskMb: 16 },
      },
    },
  });
  await stack.startResearch('sleep', {
    task,
    tempo: 1,
    ...(of.window ? { window: of.window } : {}),
    ...(of.trials ? { budget: { trials: of.trials } } : {}),
  });
}

const measure = ({ runSeconds, latencyMs }: Case): Promise<string[]> =>
  onSlots(latencyMs, async ({ stack, pool }) => {
    await sleepers(stack, { pool, runSeconds });
    await new Promise((resolve) => setTimeout(resolve, Math.max(SECONDS, runSeconds * 10) * 1000));
    const { runs, busy, steady, gaps } = await busySlots(stack.query, { slots: SLOTS, runSeconds });
    const ms = (value: number): string => (value * 1000).toFixed(0);
    return [
      latencyMs === null ? 'local' : `ssh, ${latencyMs} ms`,
      String(runSeconds),
      String(runs),
      ...[busy, steady].map((share) => share.toFixed(3)),
      `${ms(gaps.p50)} / ${ms(gaps.p95)}`,
    ];
  });

const ROUNDS = 40;

/** How long the evaluator's questions take, one after the other, until the trial has its verdict. */
const answer = (latencyMs: number | null): Promise<string[]> =>
  onSlots(latencyMs, async ({ stack, pool }) => {
    const ask = `i=0; while [ $i -lt ${ROUNDS} ]; do echo $i; read -r line || exit 3; i=$((i + 1)); done; echo '{"score": -1}' >&3`;
    const { run, ...rest } = noOpTask('talk');
    const task = await writeTask(join(stack.home, 'tasks/talk'), {
      task: {
        ...rest,
        run: { ...run, command: ': > out.txt', budget: { seconds: 60, kind: 'wall' }, resources: { pool } },
        evaluator: { type: 'interactive', command: ask, answer: 'while read -r n; do echo "$n"; done' },
      },
    });
    await stack.startResearch('talk', { task, tempo: 1, window: 2, budget: { trials: 20 } });
    await stack.until('twenty trials', `select phase = 'stopped' as done from researches`, [], 300);
    const seconds = (
      await stack.query<{ seconds: number }>(
        `select extract(epoch from trials.ended_at - runs.ended_at)::float8 as seconds
         from trials join runs on runs.trial_id = trials.id where trials.status = 'completed' order by n`,
      )
    ).map((row) => row.seconds);
    return [
      latencyMs === null ? 'local' : `ssh, ${latencyMs} ms`,
      String(seconds.length),
      `${quantile(seconds, 0.5).toFixed(2)} / ${quantile(seconds, 0.95).toFixed(2)}`,
    ];
  });

const MANY = 200;
const MANY_SECONDS = 240;
const WATCHED_SECONDS = 60;

/** So many runs at once over four connections: what it costs to follow them, and how long after its end one is known to have ended. */
const many = (): Promise<string[][]> =>
  onSlots(
    0,
    async ({ stack, pool, worker }) => {
      const begun = performance.now();
      await sleepers(stack, { pool, runSeconds: MANY_SECONDS, trials: MANY, window: MANY });
      await stack.until(
        'all slots to run',
        `select count(*) = $1 as done, count(*) from runs where launched_at is not null and ended_at is null`,
        [MANY],
        MANY_SECONDS,
      );
      const filled = (performance.now() - begun) / 1000;
      const pid = worker.process.pid ?? 0;
      const before = [cpuSeconds(pid), machineCpuSeconds()] as const;
      await new Promise((resolve) => setTimeout(resolve, WATCHED_SECONDS * 1000));
      const [own, all] = [cpuSeconds(pid) - before[0], machineCpuSeconds() - before[1]];
      await stack.until('these runs to end', `select phase = 'stopped' as done from researches`, [], MANY_SECONDS * 2);
      const [found] = await stack.query<{ runs: number; whole: number; placed: number }>(
        `select count(*)::int as runs, count(*) filter (where ("end"->>'exitCode')::int = 0)::int as whole,
           count(*) filter (where placement > 0)::int as placed from runs`,
      );
      const lags = (
        await stack.query<{ lag: number }>(
          `select extract(epoch from ended_at - ("end"->>'endedAt')::timestamptz)::float8 as lag from runs where "end" is not null`,
        )
      ).map(({ lag }) => lag);
      return [
        ['runs at once', String(MANY)],
        ['until all ran s', filled.toFixed(0)],
        ['CPU of the worker, of a core', (own / WATCHED_SECONDS).toFixed(2)],
        ['CPU of all, of a core', (all / WATCHED_SECONDS).toFixed(2)],
        ['ran to their own end', `${found?.whole} of ${found?.runs}`],
        ['started again', String(found?.placed)],
        ['end known after s p50/p95', `${quantile(lags, 0.5).toFixed(1)} / ${quantile(lags, 0.95).toFixed(1)}`],
      ];
    },
    MANY,
  );

const LONG_SECONDS = 45;

/** Kills the only worker under 16 runs: seconds until another one follows each, and what became of the runs. */
const reattach = (): Promise<string[][]> =>
  onSlots(0, async ({ stack, pool, worker }) => {
    await sleepers(stack, { pool, runSeconds: LONG_SECONDS, trials: SLOTS * 3 });
    await stack.until(
      'all slots to run',
      `select count(*) >= $1 as done from runs where launched_at is not null and follower > 0`,
      [SLOTS],
    );
    const followers = async () =>
      stack.query<{ id: string; follower: number }>(
        'select trial_id as id, follower from runs where launched_at is not null',
      );
    const before = new Map((await followers()).map(({ id, follower }) => [id, follower]));
    await worker.kill();
    const killed = performance.now();
    await stack.startWorker({ slots: 1 });
    const after = new Map<string, number>();
    while (after.size < before.size && performance.now() - killed < 60_000) {
      for (const { id, follower } of await followers())
        if (follower > (before.get(id) ?? Infinity) && !after.has(id))
          after.set(id, (performance.now() - killed) / 1000);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await stack.until(
      'these runs to end',
      `select bool_and(ended_at is not null) as done from runs where trial_id = any($1)`,
      [[...before.keys()]],
      LONG_SECONDS * 2,
    );
    const [runs] = await stack.query<{ twice: number; whole: number }>(
      `select count(*) filter (where placement > 0)::int as twice,
         count(*) filter (where "end"->>'reason' = 'exit' and ("end"->>'exitCode')::int = 0)::int as whole
       from runs where trial_id = any($1)`,
      [[...before.keys()]],
    );
    const seconds = [...after.values()].sort((a, b) => a - b);
    return [
      ['runs under way', String(before.size)],
      ['followed again', String(after.size)],
      ['first after s', seconds[0]?.toFixed(1) ?? 'never'],
      ['last after s (goal: 15)', seconds.at(-1)?.toFixed(1) ?? 'never'],
      ['ran to their own end', String(runs?.whole ?? 0)],
      ['started again', String(runs?.twice ?? 0)],
    ];
  });

if (noSshd !== undefined) throw new Error(noSshd);
const rows: string[][] = [];
for (const one of CASES) {
  if (ONLY && !ONLY.includes(one.name)) continue;
  rows.push(await measure(one));
  process.stderr.write(`${one.name} done\n`);
}
if (rows.length > 0)
  printTable(`${SLOTS} slots`, ['slots', 'run s', 'runs', 'busy', 'steady', 'idle gap ms p50/p95'], rows);
if (!ONLY || ONLY.includes('answer')) {
  const answers = [await answer(null), await answer(0), await answer(50)];
  printTable(`From the end of a run to its verdict, ${ROUNDS} questions`, ['slots', 'trials', 's p50/p95'], answers);
}
if (!ONLY || ONLY.includes('many')) printTable('Many runs over four connections', ['what', 'value'], await many());
if (!ONLY || ONLY.includes('reattach')) printTable('The worker killed with -9', ['what', 'value'], await reattach());
