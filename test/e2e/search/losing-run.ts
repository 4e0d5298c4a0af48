import { hold, type LedgerTrial, slowTask, trialsOf } from '../../support/e2e/slow-task.ts';
import type { TestStack } from '../../support/stack.ts';
import type { TaskInput } from '../../../domain/task/task.ts';

/** The rule compares with 10 completed proposals; with 4 slots the last ones may still run when the next one does. */
export const BEFORE = 14;
const STEPS = 20;
export const HALF = '1 2 3 4 5 6 7 8 9 10';

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

/** Starts a research whose last proposal loses; it waits halfway. `first` would-be stops are audited. */
export async function begin(stack: TestStack, id: string, first: number): Promise<void> {
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
export async function loserOf(stack: TestStack, id: string): Promise<LedgerTrial> {
  const far = `select distinct n from points join trials on trials.id = trial_id
    where research_id = $1 and points.value > 50`;
  const found = await stack.query<{ n: number }>(far, [id]);
  const trial = (await trialsOf(stack, id)).find(({ n }) => n === found[0]?.n);
  if (!trial || found.length > 1) throw new Error(`expected one trial of ${id} that loses, found ${found.length}`);
  return trial;
}
