import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { expectSlotsFree, expectNoProcesses, expectStrictVerdicts, processesOf } from '../database/ledger.ts';
import { markedProcesses } from '../process/marked-processes.ts';
import type { TestStack } from '../stack.ts';
import { writeTask, type TaskFiles } from '../tasks.ts';

/** Progress lines of a {@link slowTask}'s run. */
export const STEPS = 4;
/** The steps of a whole run. */
export const CURVE = Array.from({ length: STEPS }, (_, index) => index + 1).join(' ');

/**
 * Notes each start of a run by its seed, outside the run, so that a second start shows. Before its last line the run
 * waits while the hold file is there, or takes the one pass that lies beside it. So a fault hits a held run in its
 * middle, however slow the machine is.
 */
const SLOW_RUN = `. ./knobs.env
echo "$PERPETUA_SEED" >> "$STARTS"
for i in 1 2 3 4; do
  while [ $i = 4 ] && [ -e "$HOLD" ] && ! rm "$HOLD.pass" 2> /dev/null; do sleep .2; done
  sleep "$STEP_SECONDS"
  echo "step $i loss $((10 - i))"
done
[ "$LEAVES_MB" = 0 ] || head -c $((LEAVES_MB * 1048576)) /dev/zero > left || exit
echo "$X" > out.txt
`;

type Home = { home: string };
/** The file in which a task's runs note their starts. */
export const startsFile = ({ home }: Home, id: string): string => join(home, `starts-${id}`);
const holdFile = ({ home }: Home, id: string): string => join(home, `hold-${id}`);
/** A word in the command lines of a research's runs, and of nothing else on the machine. */
const markerOf = (id: string): string => `run-of-${id}-${process.pid}`;

/** Keeps the runs of a research from ending, until {@link release}. */
export const hold = (stack: Home, id: string): void => writeFileSync(holdFile(stack, id), '');
/** Lets one held run go on; the others wait. */
export const releaseOneRun = (stack: Home, id: string): void => writeFileSync(`${holdFile(stack, id)}.pass`, '');
/** True if no run has taken the pass yet. */
export const isPassOpen = (stack: Home, id: string): boolean => existsSync(`${holdFile(stack, id)}.pass`);
export const release = (stack: Home, id: string): void => rmSync(holdFile(stack, id));

export interface Slowness {
  /** Duration of a run that nothing holds. */
  seconds?: number;
  /** Runs wait before their last line until {@link release}. */
  held?: boolean;
  /** MiB that a run writes before its result. The run fails if its disk has no room for them. */
  leavesMb?: number;
  /** Pool of the runs; default: this machine. */
  pool?: string;
  diskMb?: number;
}

/** A task whose runs last `seconds` and leave a trace of each start; for the research `id`. */
export function slowTask(
  stack: Home,
  id: string,
  {
    seconds = 2,
    held = false,
    leavesMb = 0,
    pool = 'local',
    diskMb = 64,
    task = {},
    files = {},
  }: TaskFiles & Slowness = {},
): Promise<string> {
  if (held) hold(stack, id);
  const env = {
    STARTS: startsFile(stack, id),
    HOLD: holdFile(stack, id),
    STEP_SECONDS: String(seconds / STEPS),
    LEAVES_MB: String(leavesMb),
  };
  return writeTask(join(stack.home, 'tasks', id), {
    task: {
      run: {
        command: `sh run.sh ${markerOf(id)}`,
        budget: { seconds: 60, kind: 'wall' },
        // A slow machine may take long until it releases a held run.
        timeoutSeconds: 900,
        artefacts: [{ path: 'out.txt' }],
        sandbox: 'none',
        resources: { pool, diskMb },
        graceSeconds: 1,
        env,
      },
      search: { parent: 'original', proposer: 'random', window: 3 },
      ...task,
    },
    files: { 'workspace/run.sh': SLOW_RUN, ...files },
  });
}

/** Process ids of the programs that run for a research. */
export const runProcesses = (id: string): number[] => markedProcesses(markerOf(id));

/** Process ids of the supervisors of all runs in this home. A run without its supervisor is lost. */
export const supervisors = (stack: Home): number[] => processesOf(stack.home).map((line) => parseInt(line));

/** Starts of each run by the seed of its trial. */
export function startsOf(stack: Home, id: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const seed of readFileSync(startsFile(stack, id), 'utf8').trim().split('\n'))
    counts[seed] = (counts[seed] ?? 0) + 1;
  return counts;
}

export interface LedgerTrial extends Record<string, unknown> {
  n: number;
  kind: string;
  status: string | null;
  failure: string | null;
  failure_message: string | null;
  verdict: string | null;
  value: number | null;
  seed: string;
  placement: number;
  attempts: number;
  runs: number;
  steps: string | null;
}

/** Trials in order, each with its number of runs and the stored steps of its last run. */
export const trialsOf = (stack: Pick<TestStack, 'query'>, id: string): Promise<LedgerTrial[]> =>
  stack.query<LedgerTrial>(
    `select n, kind, status, failure, failure_message, verdict, value, seed::text, placement, attempts,
       (select count(*)::int from runs where trial_id = trials.id) as runs,
       (select string_agg(step::text, ' ' order by seq) from points p
        where p.trial_id = trials.id and p.placement = trials.placement) as steps
     from trials where research_id = $1 order by n`,
    [id],
  );

/** Steps of a research's runs, lost ones too, that are stored more than once. */
export const doubledSteps = (stack: Pick<TestStack, 'query'>, id: string): Promise<unknown[]> =>
  stack.query(
    `select trial_id, placement, step from points where trial_id like $1 || '/%'
     group by trial_id, placement, step having count(*) > 1`,
    [id],
  );

/** Pairs of runs that shared a slot at some time. Runs without a launch are left out: they would overlap all. */
const OVERLAPS = `select a.trial_id as a, b.trial_id as b from runs a join runs b
  on a.slot_id = b.slot_id and (a.trial_id, a.placement) < (b.trial_id, b.placement)
  and a.launched_at is not null and b.launched_at is not null
  and tstzrange(a.launched_at, a.ended_at) && tstzrange(b.launched_at, b.ended_at)`;

/**
 * Expects that a fault only took time: numbers without a gap, each trial completed, started and placed once with all
 * its points, the verdicts of a whole run, no slot held or shared, nothing left running.
 */
export async function expectUninterrupted(stack: TestStack, id: string, searches: number): Promise<LedgerTrial[]> {
  const trials = await trialsOf(stack, id);
  expect(trials.map(({ n }) => n)).toEqual(trials.map((_, index) => index + 1));
  expect(trials.map(({ kind }) => kind).sort()).toEqual(['baseline', ...Array<string>(searches).fill('search')]);
  expect(
    trials.map(({ n, status, failure_message, runs, placement, steps }) => ({
      n,
      status,
      failure_message,
      runs,
      placement,
      steps,
    })),
  ).toEqual(
    trials.map(({ n }) => ({
      n,
      status: 'completed',
      failure_message: null,
      runs: 1,
      placement: 0,
      steps: CURVE,
    })),
  );
  await expectStrictVerdicts(stack, id);
  expect(startsOf(stack, id)).toEqual(Object.fromEntries(trials.map(({ seed }) => [seed, 1])));
  await expectNothingHeld(stack, id);
  return trials;
}

/**
 * Expects each trial completed with all its points, and nothing held. For faults that a busy machine may take for a
 * lost run.
 */
export async function expectCompleted(stack: TestStack, id: string, searches: number): Promise<void> {
  const trials = await trialsOf(stack, id);
  const whole = { status: 'completed', steps: CURVE };
  expect(trials.map(({ status, steps }) => ({ status, steps }))).toEqual(Array(searches + 1).fill(whole));
  await expectNothingHeld(stack, id);
}

/** Expects no slot held or shared, and nothing left running. */
export async function expectNothingHeld(stack: Pick<TestStack, 'query' | 'home'>, id: string): Promise<void> {
  expect(await stack.query(OVERLAPS)).toEqual([]);
  await expectSlotsFree(stack);
  expect(runProcesses(id)).toEqual([]);
  await expectNoProcesses(stack.home);
}

/** Waits until `count` runs are in the middle: some of their points are stored, and they have not ended. */
export const untilRunning = (stack: TestStack, id: string, count = 1): Promise<void> =>
  stack.until(
    `${count} runs under way`,
    `select count(*) >= $2 as done, count(*) from runs join trials on trials.id = runs.trial_id
     where research_id = $1 and log_offset > 0 and runs.ended_at is null`,
    [id, count],
  );

/** Waits until `count` runs are under way. */
export const untilLaunched = (stack: TestStack, id: string, count = 1): Promise<void> =>
  stack.until(
    `${count} runs launched`,
    `select count(*) >= $2 as done, count(*) from runs join trials on trials.id = runs.trial_id
     where research_id = $1 and launched_at is not null and runs.ended_at is null`,
    [id, count],
  );

/** Waits until the research has stopped. */
export const untilStopped = (stack: TestStack, id: string, seconds = 300): Promise<void> =>
  stack.until(
    'the research to end',
    `select phase = 'stopped' as done, phase, reason, last_n from researches where id = $1`,
    [id],
    seconds,
  );

/** Expects that nothing of one research holds a slot or runs; other researches may go on. */
export async function expectReleased(stack: TestStack, id: string): Promise<void> {
  // Awaits the workflows: a trial may be counted a moment before its slot is free. A sweep would hide a lost slot.
  for (const { n } of await trialsOf(stack, id))
    await stack.client.workflow
      .getHandle(`${id}/${n}`)
      .result()
      .catch(() => undefined);
  expect(await stack.query(`select id, trial_id from slots where trial_id like $1`, [`${id}/%`])).toEqual([]);
  // The process that cleans up after a run bears its name, and may take a moment longer.
  await vi.waitFor(() => expect(runProcesses(id)).toEqual([]), { timeout: 60_000, interval: 100 });
}
