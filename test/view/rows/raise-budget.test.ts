import { expect, test } from 'vitest';
import { researchCommands } from '../../../view/page/commands.ts';
import { raiseCommand } from '../../../view/rows/raise-budget.ts';

const none = { spent: 0, limit: null };
const budget = {
  ...{ proposals: none, hours: none, slotSeconds: none, tokens: none, whenSpent: 'stop' as const },
  ...{ trials: { spent: 60, limit: 60 }, usd: { spent: 4, limit: 3 } },
};
const of = { id: 'my-run', task: 'nano-lm', budget };

test('a research that goes on is given more by a message, one that has ended by a start with more', () => {
  expect(raiseCommand({ ...of, phase: 'waiting' })).toBe(
    `temporal workflow update execute --workflow-id my-run --name setBudget --input '{"trials":90,"usd":6}'`,
  );
  expect(raiseCommand({ ...of, phase: 'stopped' })).toBe(
    'npx perpetua start nano-lm --id my-run --budget-trials 90 --budget-usd 6',
  );
});

test('of a small budget, too, it is half as much again', () => {
  const small = { ...budget, trials: none, usd: { spent: 0.05, limit: 0.05 }, hours: { spent: 0.2, limit: 0.2 } };
  expect(raiseCommand({ ...of, phase: 'stopped', budget: small })).toBe(
    'npx perpetua start nano-lm --id my-run --budget-hours 0.3 --budget-usd 0.075',
  );
});

test('no limit that is not reached is raised', () => {
  const left = { ...budget, trials: { spent: 59, limit: 60 }, usd: none };
  expect(raiseCommand({ ...of, phase: 'running', budget: left })).toBe(null);
});

test('the page goes on with a research whose budget is spent only by a command that raises it', () => {
  const [goOn] = researchCommands({ ...of, phase: 'stopped' });
  expect(goOn).toEqual({
    label: 'go on with a larger budget',
    command: 'npx perpetua start nano-lm --id my-run --budget-trials 90 --budget-usd 6',
  });
});
