import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { deleteResearch } from '../../../db/research/delete-research.ts';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { expectCountedOnce, readSearchTrials, runToEnd, writeKnobTask } from './support.ts';

const TRIALS = 10;
/** Its choices depend on the tree, on the credit of arms and on seeds, but not on measured times. */
const overrides = {
  search: {
    abort: 'none',
    proposer: {
      name: 'mix',
      by: 'thompson',
      cost: 'none',
      arms: [
        { proposer: 'random', parent: 'puct' },
        { proposer: 'tpe', parent: { name: 'top-k', k: 3 } },
      ],
    },
  },
};

/** All runs have this id, since seeds of proposers depend on it. */
const ID = 'choices';

let stack: TestStack;
let worker: TestWorker;
let task: string;
let undisturbed: Awaited<ReturnType<typeof readAndDelete>>;

/** Reads trials and tree of the research, and deletes it, so that the next one may have its id. */
async function readAndDelete() {
  const trials = await readSearchTrials(stack, ID);
  const tree = await expectCountedOnce(stack, ID);
  const { db, close } = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
  await deleteResearch(db, { id: ID, phase: 'stopped' }).finally(close);
  expect(await stack.query('select 1 from nodes union all select 1 from arms')).toEqual([]);
  return { trials, tree };
}

beforeAll(async () => {
  stack = await startTestStack();
  worker = await stack.startWorker({ slots: 2 });
  task = await writeKnobTask(stack, ID);
  await runToEnd(stack, ID, { task, overrides, trials: TRIALS });
  undisturbed = await readAndDelete();
});
afterAll(() => stack.stop());

test('the undisturbed research chooses both arms, and several parents', () => {
  const { trials, tree } = undisturbed;
  expect(new Set(trials.map(({ arm }) => arm)).size).toBe(2);
  expect(new Set(trials.map(({ parent }) => parent)).size).toBeGreaterThan(3);
  expect(tree.length).toBe(TRIALS + 1);
});

test.each(FAULTS['worker-dies-choosing/local/random'])(
  'a research whose worker dies at %s makes the same choices, and counts each of them once',
  async (killAt) => {
    const ended = runToEnd(stack, ID, { task, overrides, trials: TRIALS });
    const some = `select count(*) > 3 as done, count(*) from trials where research_id = $1 and status = 'completed'`;
    await stack.until('some trials', some, [ID]);
    worker.dieAt(killAt);
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    worker = await stack.startWorker({ slots: 2 });
    await ended;
    expect(await readAndDelete()).toEqual(undisturbed);
  },
);
