import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../db/connect.ts';
import { findDifferingFigures } from '../dashboard/figures.ts';
import { applyFleet } from '../../db/host/apply-fleet.ts';
import { Fleet } from '../../domain/fleet/fleet.ts';
import { createRandom } from '../../domain/statistics/random.ts';
import { processesOf } from './processes-of.ts';
import { answerWith, startScriptedEndpoint } from './scripted-endpoint.ts';
import { type Sshd, startSshd } from './sshd.ts';
import { startTestStack, type TestStack, type TestWorker } from './stack.ts';
import { writeTask } from './tasks.ts';

const HOSTS = 2;
const SLOTS_OF_HOST = 4;
const WORKERS = 2;
const RESEARCHES = ['by-lot', 'by-model'] as const;

export interface ChaosOptions {
  strikes: number;
  /** Mean seconds between two strikes. */
  everySeconds: number;
  seed: number;
  onStrike?: (text: string) => void;
}

/** Result of a campaign, read from Postgres, the hosts and the process table. */
export interface ChaosResult {
  strikes: Record<string, number>;
  trials: number;
  /** Trials that ended as machine-lost, since their run was struck twice. */
  machineLost: number;
  /** Admitted trials without an outcome, and missing numbers. */
  lost: number;
  /** Duplicate numbers of trials, and starts of a run beyond its placements. */
  doubled: number;
  /** Trials that ended as if their candidate had failed, which no candidate does. */
  misattributed: { id: string; status: string; failure: string | null; message: string | null }[];
  modelCallsRepeated: number;
  slotsLost: number;
  /** Figures of the dashboard that differ from their SQL. */
  figuresThatDiffer: string[];
  processesLeft: string[];
  placedAgain: number;
  slotSeconds: number;
  /** Slot seconds of runs without an end. */
  wastedSeconds: number;
}

/** Time limit for leftovers on hosts, in milliseconds: longer than the interval of the probes, which end them. */
const LINGERS_MS = 60_000;

/** The script of a run. It leaves a process behind that would outlast the campaign. */
const RUN = `. ./knobs.env
setsid sleep 3600 </dev/null >/dev/null 2>&1 &
echo "$RESEARCH $PERPETUA_SEED" >> "$STARTS"
for i in 1 2 3 4 5 6; do sleep 0.5; echo "step $i loss $((10 - i))"; done
echo "$X" > out.txt
`;

const edit = (n: number): string =>
  `Hypothesis: value ${n}.\n\nknobs.env\n\`\`\`\n<<<<<<< SEARCH\nX=1.5\n=======\nX=${(n % 997) / 50 + 0.01}\n>>>>>>> ` +
  'REPLACE\n```\n';

interface Field {
  stack: TestStack;
  sshds: Sshd[];
  workers: TestWorker[];
  startWorker: () => Promise<TestWorker>;
  /** Uniform in [0, 1). */
  random: () => number;
}

const oneOf = <T>(list: readonly T[], random: () => number): T | undefined => list[Math.floor(random() * list.length)];

/** The strikes by name. Each kills or cuts one part, and starts it again if nothing else does. */
const STRIKES: Record<string, (field: Field) => Promise<void>> = {
  worker: async ({ workers, startWorker, random }) => {
    const index = Math.floor(random() * workers.length);
    await workers[index]?.kill();
    workers[index] = await startWorker();
  },
  temporal: async ({ stack }) => {
    await stack.temporal.kill();
    await stack.temporal.start();
  },
  postgres: async ({ stack }) => {
    await stack.postgres.kill();
    await stack.postgres.start();
  },
  sshd: async ({ sshds, random }) => {
    const sshd = oneOf(sshds, random);
    await sshd?.stop();
    await sleep(random() * 3000);
    await sshd?.start();
  },
  connection: ({ sshds, random }) => Promise.resolve(oneOf(sshds, random)?.cut()),
  run: ({ sshds, random }) => {
    const pid = oneOf(sshds.flatMap(supervisorsOn), random);
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // The run ended meanwhile.
    }
    return Promise.resolve();
  },
};

/** Process ids of the supervisors whose runs have not ended. */
function supervisorsOn({ home }: Sshd): number[] {
  const runs = join(home, '.perpetua-host/runs');
  // A listed folder may be removed before it is read.
  const below = (folder: string): string[] =>
    (ifThere(() => readdirSync(folder)) ?? []).map((name) => join(folder, name));
  return below(runs)
    .flatMap(below)
    .flatMap(below)
    .map((attempt) => join(attempt, 'ctl'))
    .flatMap((control) => {
      if (existsSync(join(control, 'ended.json'))) return [];
      const pid = parseInt(ifThere(() => readFileSync(join(control, 'claim/owner'), 'utf8')) ?? '');
      return pid > 1 && isSupervisor(pid) ? [pid] : [];
    });
}

const isSupervisor = (pid: number): boolean =>
  ifThere(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.includes('/supervisor-') ?? false;

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Strikes random parts of a fleet of eight slots that works on two researches, stops these, and counts the damage. */
export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const stack = await startTestStack({ durable: true });
  const endpoint = await startScriptedEndpoint({ script: ({ n }: { n: number }) => answerWith(edit(n)) });
  const sshds: Sshd[] = [];
  const drawn = createRandom(options.seed);
  const random = (): number => drawn.uniform();
  const startWorker = (): Promise<TestWorker> =>
    stack.startWorker({ slots: 1, env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'bench' } });
  const field: Field = { stack, sshds, workers: [], startWorker, random };
  const strikes = Object.fromEntries(Object.keys(STRIKES).map((name) => [name, 0]));
  try {
    for (let i = 0; i < HOSTS; i += 1) sshds.push(await startSshd());
    for (let i = 0; i < WORKERS; i += 1) field.workers.push(await startWorker());
    await applyTo(stack, sshds);
    const starts = join(stack.home, 'starts');
    await begin(stack, starts);
    await stack.until(
      'all slots to work',
      `select count(*) >= $1 as done, count(*) from slots where pool = 'lab' and state = 'leased'`,
      [HOSTS * SLOTS_OF_HOST],
      240,
    );
    for (let n = 1; n <= options.strikes; n += 1) {
      const name = oneOf(Object.keys(STRIKES), random) ?? 'worker';
      await STRIKES[name]?.(field);
      strikes[name] = (strikes[name] ?? 0) + 1;
      options.onStrike?.(`${n} of ${options.strikes}: ${name}`);
      await sleep(options.everySeconds * 1000 * (0.5 + random()));
    }
    await end(stack);
    return await count(field, { strikes, starts });
  } finally {
    await stack.stop();
    await endpoint.close();
    for (const sshd of sshds) await sshd.destroy();
  }
}

async function applyTo(stack: TestStack, sshds: Sshd[]): Promise<void> {
  const hosts = sshds.map(({ port, user, key, fingerprint }, index) => ({
    name: `host-${index}`,
    pool: 'lab',
    slots: SLOTS_OF_HOST,
    address: '127.0.0.1',
    port,
    user,
    keyFile: key,
    hostKey: fingerprint,
  }));
  const database = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
  await applyFleet(database.db, Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts }));
  await database.close();
}

async function begin(stack: TestStack, starts: string): Promise<void> {
  for (const id of RESEARCHES) {
    const task = await writeTask(join(stack.home, 'tasks', id), {
      task: {
        name: id,
        run: {
          command: 'sh run.sh',
          budget: { seconds: 60, kind: 'wall' },
          artefacts: [{ path: 'out.txt' }],
          sandbox: 'none',
          resources: { pool: 'lab' },
          env: { STARTS: starts, RESEARCH: id },
        },
        search: { parent: 'original', proposer: id === 'by-model' ? 'llm' : 'random' },
      },
      files: { 'workspace/run.sh': RUN },
    });
    await stack.startResearch(id, { task });
  }
}

/** Stops the researches, whose running trials finish. A signal is sent again until the server accepts it. */
async function end(stack: TestStack): Promise<void> {
  for (const id of RESEARCHES) {
    for (;;) {
      const sent = await stack.client.workflow
        .getHandle(id)
        .signal('stop')
        .then(() => true)
        .catch(() => false);
      if (sent) break;
      await sleep(1000);
    }
  }
  await stack.until(
    'both researches to stop',
    `select bool_and(phase = 'stopped') as done, json_agg(json_build_array(id, phase, reason)) from researches`,
    [],
    900,
  );
}

async function count(
  { stack, sshds }: Field,
  { strikes, starts }: { strikes: Record<string, number>; starts: string },
): Promise<ChaosResult> {
  const [row] = await stack.query<Record<string, number>>(
    `select count(*)::int as trials,
       count(*) filter (where failure = 'machine-lost')::int as machine_lost,
       count(*) filter (where status is null)::int as open,
       (select coalesce(sum(missing), 0) from (
         select max(n) - count(distinct n) as missing from trials group by research_id) m)::int as missing,
       (count(*) - count(distinct (research_id, n)))::int as doubled,
       (select coalesce(sum(repeated), 0) from calls)::int as repeated,
       (select count(*) from slots where state = 'leased')::int as held,
       (select count(*) from runs where placement > 0)::int as again,
       (select coalesce(extract(epoch from sum(ended_at - launched_at)), 0) from runs)::float8 as seconds,
       (select coalesce(extract(epoch from sum(ended_at - launched_at)), 0)
        from runs where "end" is null)::float8 as wasted
     from trials`,
  );
  const misattributed = await stack.query<ChaosResult['misattributed'][number]>(
    `select id, status, failure, failure_message as message from trials
     where status is not null and status <> 'completed' and status <> 'cached'
       and failure is distinct from 'machine-lost'`,
  );
  const placements = new Map(
    (
      await stack.query<{ id: string; runs: number }>(
        `select research_id || ' ' || seed as id, count(*)::int as runs from runs join trials on trials.id = ` +
          'trial_id group by 1',
      )
    ).map(({ id, runs }) => [id, runs]),
  );
  const started = new Map<string, number>();
  for (const id of readFileSync(starts, 'utf8').trim().split('\n')) started.set(id, (started.get(id) ?? 0) + 1);
  const beyond = [...started].reduce((sum, [id, times]) => sum + Math.max(0, times - (placements.get(id) ?? 0)), 0);
  return {
    strikes,
    trials: row?.trials ?? 0,
    machineLost: row?.machine_lost ?? 0,
    lost: (row?.open ?? 0) + (row?.missing ?? 0),
    doubled: (row?.doubled ?? 0) + beyond,
    misattributed,
    modelCallsRepeated: row?.repeated ?? 0,
    slotsLost: row?.held ?? 0,
    figuresThatDiffer: (await Promise.all(RESEARCHES.map((id) => findDifferingFigures(stack.databaseUrl, id)))).flat(),
    processesLeft: await leftOn(sshds),
    placedAgain: row?.again ?? 0,
    slotSeconds: row?.seconds ?? 0,
    wastedSeconds: row?.wasted ?? 0,
  };
}

/** Waits for the processes in the run folders of the hosts to end. Returns those left at the time limit. */
async function leftOn(sshds: Sshd[]): Promise<string[]> {
  for (const until = Date.now() + LINGERS_MS; ; await sleep(100)) {
    const left = sshds.flatMap(({ home }) => processesOf(home, '.perpetua-host/runs'));
    if (left.length === 0 || Date.now() > until) return left;
  }
}
