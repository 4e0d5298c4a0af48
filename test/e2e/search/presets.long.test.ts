import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { factsOf } from '../../../domain/search/proposer/makers.ts';
import { readsTree } from '../../../domain/search/parent/table.ts';
import { PRESETS } from '../../../domain/task/presets.ts';
import { hasOptimizer } from '../../../infra/optimizer/optimizer-paths.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { FACTS, WITHOUT_MODEL } from './facts.ts';
import { expectCountedOnce, readSearchTrials, runToEnd, writeKnobTask } from './support.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 2 });
});
afterAll(() => stack.stop());

test('every preset that needs no model has a row of facts', () => {
  expect(WITHOUT_MODEL.filter((name) => !(name in FACTS))).toEqual([]);
});

test.for(WITHOUT_MODEL)('a research with the preset %s has the ledger of that method', async (name, { skip }) => {
  const { proposer = 'random' } = PRESETS[name]?.overrides.search ?? {};
  if (factsOf(proposer).needs.includes('optimizer'))
    skip(!hasOptimizer(loadConfig()), 'Optuna is not installed here (npx perpetua optimizer install)');
  const facts = FACTS[name] ?? expect.unreachable(`no facts of ${name}`);
  const overrides = PRESETS[name]?.overrides ?? {};
  const { trials: most, numbersOnly = false } = facts;
  const task = await writeKnobTask(stack, name, { numbersOnly });
  await runToEnd(stack, name, { task, overrides, trials: most });
  const trials = await readSearchTrials(stack, name);
  expect(trials).toHaveLength(most);
  const tree = await expectCountedOnce(stack, name);
  expect(tree.length > 0).toBe(readsTree(overrides.search?.['parent'] ?? 'lead'));
  facts.expect(trials, tree);
});
