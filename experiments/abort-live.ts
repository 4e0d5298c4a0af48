/**
 * What early abort brings in the real loop: researches of the demo task with and without the rule, side by side, until each
 * has used the same slot time: npx tsx experiments/abort-live.ts [pairs] [slot seconds] [budget of a run, reference seconds]
 * [would-be stops that all run on]. By default 30 of them do, which a short research hardly has.
 */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDocument } from 'yaml';
import { packageRoot } from '../config/paths.ts';
import { upperQuantile } from '../domain/statistics/student-t.ts';
import { UsageError } from '../bench/abort/usage-error.ts';
import { startTestStack, type TestStack } from '../bench/support/stack.ts';
import { printTable, type Cell } from '../bench/support/table.ts';

const USAGE =
  'Usage: npx tsx experiments/abort-live.ts [pairs] [slot seconds] [budget of a run, reference seconds] [would-be stops that all run on]';
/** The arguments in their order: name, default, least value, and whether it is a whole number. */
const ARGUMENTS = [
  { what: 'pairs', usual: 10, least: 1, counted: true },
  { what: 'slot seconds', usual: 150, least: 1, counted: false },
  { what: 'budget of a run, reference seconds', usual: 1, least: 0.1, counted: false },
  { what: 'would-be stops that all run on', usual: 30, least: 0, counted: true },
] as const;
const [PAIRS, SLOT_SECONDS, RUN_SECONDS, AUDIT_FIRST] = planOrExit();
const ARMS = ['none', 'matched-time'] as const;
type Arm = (typeof ARMS)[number];
/** Shares of the slot time at which the best so far is read. */
const AT = [0.25, 0.5, 0.75, 1];
const POLL_MS = 1000;

interface Outcome {
  /** Best claim at each share of the slot time, the baseline's mean before the first. */
  claims: number[];
  proposals: number;
  aborted: number;
  audited: number;
}

type LivePlan = [pairs: number, slotSeconds: number, runSeconds: number, auditFirst: number];

/** Reads the arguments before servers start, which may take minutes. */
function planOrExit(): LivePlan {
  try {
    return livePlanOf(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n${USAGE}`);
    return process.exit(2);
  }
}

/** Parses the arguments; throws UsageError if one is not a number in its range. */
function livePlanOf(args: readonly string[]): LivePlan {
  if (args.length > ARGUMENTS.length)
    throw new UsageError(`expected at most ${ARGUMENTS.length} numbers, got ${args.join(' ')}`);
  return ARGUMENTS.map(({ what, usual, least, counted }, i) => {
    const text = args[i] ?? String(usual);
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && Number.isFinite(value) && (!counted || Number.isInteger(value))) return value;
    throw new UsageError(`${what}: expected a ${counted ? 'whole ' : ''}number from ${least} on, got ${text}`);
  }) as LivePlan;
}

/** The demo task with another budget and rule. */
async function writeDemo(home: string, arm: Arm): Promise<string> {
  const folder = join(home, 'tasks', `nano-lm-${arm}`);
  await cp(join(packageRoot(), 'tasks/nano-lm'), folder, { recursive: true });
  const file = join(folder, 'task.yaml');
  const yaml = parseDocument(await readFile(file, 'utf8'));
  yaml.set('name', `nano-lm-${arm}`);
  yaml.setIn(['run', 'budget', 'seconds'], RUN_SECONDS);
  yaml.set('search', yaml.createNode({ proposer: 'random', abort: arm }));
  yaml.set('abort', yaml.createNode({ audit: { first: AUDIT_FIRST }, carry: false }));
  await writeFile(file, String(yaml));
  return folder;
}

async function untilUsed({ query, client }: TestStack, id: string): Promise<void> {
  for (;;) {
    const [row] = await query<{ used: number }>(
      'select coalesce(sum(seconds), 0)::float8 as used from trials where research_id = $1',
      [id],
    );
    if ((row?.used ?? 0) >= SLOT_SECONDS) break;
    await sleep(POLL_MS);
  }
  await client.workflow.getHandle(id).signal('stop', { now: true });
  await client.workflow.getHandle(id).result();
}

async function outcomeOf({ query }: TestStack, id: string): Promise<Outcome> {
  const [baseline] = await query<{ mean: number }>(
    "select avg(value)::float8 as mean from trials where research_id = $1 and kind = 'baseline' and status = 'completed'",
    [id],
  );
  const claims = await query<{ value: number; used: number }>(
    `select value::float8, (select coalesce(sum(seconds), 0) from trials t where t.research_id = c.research_id and t.ended_at <= c.at)::float8 as used
     from claims c where research_id = $1 order by seq`,
    [id],
  );
  const [counts] = await query<{ proposals: number; aborted: number; audited: number }>(
    `select (select count(*) from trials where research_id = $1 and kind = 'search' and seconds > 0)::int as proposals,
       (select count(*) from trials where research_id = $1 and failure = 'cannot-win')::int as aborted,
       (select count(*) from runs where trial_id like $1 || '/%' and (abort->>'audited')::boolean)::int as audited`,
    [id],
  );
  const best = (share: number): number =>
    claims.filter(({ used }) => used <= share * SLOT_SECONDS).at(-1)?.value ?? baseline?.mean ?? NaN;
  return { claims: AT.map(best), proposals: 0, aborted: 0, audited: 0, ...counts };
}

/** Mean and half the width of its 95 % interval (Student's t). */
function meanOf(values: readonly number[]): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1));
  const t = upperQuantile(0.025, Math.max(1, values.length - 1));
  return `${mean.toFixed(3)} ± ${((t * sd) / Math.sqrt(values.length)).toFixed(3)}`;
}

const stack = await startTestStack();
const outcomes: Record<Arm, Outcome[]> = { none: [], 'matched-time': [] };
try {
  await stack.startWorker({ slots: ARMS.length });
  const tasks = await Promise.all(ARMS.map((arm) => writeDemo(stack.home, arm)));
  for (let pair = 1; pair <= PAIRS; pair += 1) {
    const ids = ARMS.map((arm) => `live-${arm}-${pair}`);
    for (const [i, id] of ids.entries()) await stack.startResearch(id, { task: tasks[i], tempo: 1 });
    await Promise.all(ids.map((id) => untilUsed(stack, id)));
    for (const [i, arm] of ARMS.entries()) outcomes[arm].push(await outcomeOf(stack, ids[i] ?? ''));
    process.stderr.write(`${JSON.stringify(ARMS.map((arm) => outcomes[arm].at(-1)))}\n`);
  }
} finally {
  await stack.stop();
}

const column = (arm: Arm, i: number): number[] => outcomes[arm].map(({ claims }) => claims[i] ?? NaN);
const count = (arm: Arm, key: 'proposals' | 'aborted' | 'audited'): string =>
  meanOf(outcomes[arm].map((outcome) => outcome[key]));
const rows = ARMS.map((arm): Cell[] => [
  arm,
  ...AT.map((_, i) => meanOf(column(arm, i))),
  ...[count(arm, 'proposals'), count(arm, 'aborted'), count(arm, 'audited')],
]);
const differences: Cell[] = [
  'difference',
  ...AT.map((_, i) => {
    const without = column('none', i);
    return meanOf(column('matched-time', i).map((value, pair) => value - (without[pair] ?? NaN)));
  }),
  ...[null, null, null],
];
printTable(
  `${PAIRS} pairs of researches, ${SLOT_SECONDS} s of slot time each, runs of ${RUN_SECONDS} s: best claim, bits per character`,
  ['rule', ...AT.map((share) => `at ${share * 100} %`), 'proposals run', 'stopped', 'audited'],
  [...rows, differences],
);
