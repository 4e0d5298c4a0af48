import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULTS } from '../support/e2e/fault-table.ts';
import {
  hold,
  type LedgerTrial,
  release,
  slowTask,
  startsOf,
  trialsOf,
  untilStopped,
} from '../support/e2e/slow-task.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';
import type { TaskInput } from '../../domain/task/task.ts';

/** The rule compares with 10 completed proposals; with 4 slots the last ones may still run when the next one does. */
const BEFORE = 14;
const STEPS = 20;
const HALF = '1 2 3 4 5 6 7 8 9 10';

/**
 * A loss that falls in a straight line, a little different with each seed; the last proposal is far above and
 * waits halfway. Each half is printed at once, so that no look comes between its lines. The last proposal of the
 * research `flood` first prints more lines than are kept in full.
 */
const RUN = `. ./knobs.env
echo "$PERPETUA_SEED" >> "$STARTS"
lost=
[ "$(grep -nx -- "$PERPETUA_SEED" "$STARTS" | cut -d: -f1)" -le ${1 + BEFORE} ] || lost=100
half() {
  awk -v s="$PERPETUA_SEED" -v lost="$lost" -v from="$1" -v to="$2" 'BEGIN {
    srand(s); noise = (rand() + to / 1000) / 10
    for (i = from; i <= to; i++) print "step " i " loss " (10 - i * .3 + lost + noise)
  }'
}
first=$(half 1 ${STEPS / 2})
second=$(half ${STEPS / 2 + 1} ${STEPS})
case "$STARTS$lost" in *-flood100) awk 'BEGIN { for (i = 0; i < 21000; i++) print "step 0 loss " 8 + i % 2 }' ;; esac
printf '%s\\n' "$first"
while [ -n "$lost" ] && [ -e "$HOLD" ]; do sleep .2; done
printf '%s\\n' "$second"
echo "\${second##* }" > out.txt
`;

let stack: TestStack;
let worker: TestWorker;
const startWorker = (): Promise<TestWorker> => stack.startWorker({ slots: 4 });

beforeAll(async () => {
  stack = await startTestStack();
  worker = await startWorker();
});
afterAll(() => stack.stop());

/** Starts a research whose last proposal loses; it waits halfway. `first` would-be stops are audited. */
async function begin(id: string, first: number): Promise<void> {
  hold(stack, id);
  const task: Partial<TaskInput> = {
    metric: { name: 'loss', direction: 'minimize' },
    progress: { pattern: '^step (?<step>\\d+) loss (?<value>\\S+)$', steps: STEPS },
    evaluator: { type: 'artefact', command: 'printf \'{"loss": %s}\' "$(cat artefacts/out.txt)" >&3' },
    keep: { policy: 'strict', baselineRuns: 1 },
    abort: { audit: { first, share: 0 } },
    knobs: [{ file: 'knobs.env', name: 'X', type: 'float', range: [0, 20] }],
  };
  const folder = await slowTask(stack, id, { seconds: 0.1, task, files: { 'workspace/run.sh': RUN } });
  await stack.startResearch(id, { task: folder, window: 4, budget: { trials: BEFORE + 1 } });
}

/** The losing trial, by its curve: of trials under way together a later one may start first. */
async function loserOf(id: string): Promise<LedgerTrial> {
  const far = `select distinct n from points join trials on trials.id = trial_id
    where research_id = $1 and points.value > 50`;
  const found = await stack.query<{ n: number }>(far, [id]);
  const trial = (await trialsOf(stack, id)).find(({ n }) => n === found[0]?.n);
  if (!trial || found.length > 1) throw new Error(`expected one trial of ${id} that loses, found ${found.length}`);
  return trial;
}

describe('a run that cannot win', () => {
  test('is stopped halfway: no failure and no number, its curve and forecast kept, its slot free', async () => {
    await begin('lost-cause', 0);
    await untilStopped(stack, 'lost-cause');
    const trial = await loserOf('lost-cause');
    expect(trial).toMatchObject({
      status: 'aborted',
      failure: 'cannot-win',
      value: null,
      verdict: 'none',
      steps: HALF,
    });
    expect(trial.failure_message).toMatch(
      /^stopped at 50 %, forecast \S+ ± \S+ against \S+: at 50 % it is \S+ standard errors worse than/,
    );
    // The reason that the next prompt shows.
    const reasons = await stack.query<{ reason: string }>(
      `select reason from trials where research_id = 'lost-cause' and n = $1`,
      [trial.n],
    );
    expect(reasons).toEqual([{ reason: `aborted (cannot-win): ${trial.failure_message}` }]);
    const records = await stack.query<{ share: number; abort: boolean; audited: boolean; low: number }>(
      `select (abort->>'share')::float8 as share, (abort->>'abort')::boolean as abort,
         (abort->>'audited')::boolean as audited, (abort->'interval'->>'low')::float8 as low
       from runs join trials on trials.id = trial_id where research_id = 'lost-cause' and (abort->>'abort')::boolean`,
    );
    expect(records).toEqual([{ share: 0.5, abort: true, audited: false, low: expect.any(Number) as number }]);
    expect(await stack.query("select 1 from slots where state = 'leased'")).toEqual([]);
    const others = (await trialsOf(stack, 'lost-cause')).filter(({ n }) => n !== trial.n);
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 1 + BEFORE }, () => 'completed'));
  });

  test('is stopped as well if it prints more lines before burn-in than are kept', async () => {
    await begin('flood', 0);
    await untilStopped(stack, 'flood');
    expect(await loserOf('flood')).toMatchObject({ status: 'aborted', failure: 'cannot-win', value: null });
  });

  test('goes on to its end if it is audited', async () => {
    await begin('audited', 30);
    await stack.until(
      'it to be wished away',
      `select count(*) = 1 as done from runs join trials on trials.id = trial_id
       where research_id = $1 and (abort->>'audited')::boolean and (abort->>'auditProbability')::float8 = 1`,
      ['audited'],
    );
    release(stack, 'audited');
    await untilStopped(stack, 'audited');
    expect(await loserOf('audited')).toMatchObject({ status: 'completed', failure: null, verdict: 'discard' });
  });

  test('is stopped once, by the stored decision, if the worker dies right after it', async () => {
    worker.dieAt(FAULTS['worker-dies-deciding/local/random'][0]);
    await begin('killed', 0);
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    const decided = `select trial_id, abort from runs where (abort->>'abort')::boolean and trial_id like 'killed/%'`;
    const before = await stack.query<{ trial_id: string }>(decided);
    worker = await startWorker();
    await untilStopped(stack, 'killed');
    const after = await stack.query<{ trial_id: string }>(decided);
    expect(after).toEqual(expect.arrayContaining(before));
    expect(before).toHaveLength(1);
    expect(await loserOf('killed')).toMatchObject({ failure: 'cannot-win', runs: 1, steps: HALF });
    expect(Object.values(startsOf(stack, 'killed')).every((starts) => starts === 1)).toBe(true);
  });
});
