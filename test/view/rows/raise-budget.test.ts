import { expect, test } from 'vitest';
import { researchCommands } from '../../../view/page/commands.ts';
import { raiseCommand } from '../../../view/rows/raise-budget.ts';

const none = { spent: 0, limit: null };
const budget = {
  proposals: none,
  hours: none,
  hoursWithoutClaim: none,
  slotSeconds: none,
  tokens: none,
  whenSpent: 'stop' as const,
  trials: { spent: 60, limit: 60 },
  usd: { spent: 4, limit: 3 },
};
const research = { id: 'my-run', task: 'nano-lm', budget };

test('the budget of a running research is raised by `budget`, that of an ended one by `start`', () => {
  expect(raiseCommand({ ...research, phase: 'waiting' })).toBe('npx perpetua budget my-run --trials 90 --usd 6');
  expect(raiseCommand({ ...research, phase: 'stopped' })).toBe(
    'npx perpetua start nano-lm --id my-run --budget-trials 90 --budget-usd 6',
  );
});

test('a small budget, too, is raised by half', () => {
  const small = { ...budget, trials: none, usd: { spent: 0.05, limit: 0.05 }, hours: { spent: 0.2, limit: 0.2 } };
  expect(raiseCommand({ ...research, phase: 'stopped', budget: small })).toBe(
    'npx perpetua start nano-lm --id my-run --budget-hours 0.3 --budget-usd 0.075',
  );
});

test('a limit that is not reached is not raised', () => {
  const left = { ...budget, trials: { spent: 59, limit: 60 }, usd: none };
  expect(raiseCommand({ ...research, phase: 'running', budget: left })).toBe(null);
});

test('the only command of the page that continues a research with a spent budget raises it', () => {
  const [goOn] = researchCommands({ ...research, phase: 'stopped' });
  expect(goOn).toEqual({
    label: 'go on with a larger budget',
    command: 'npx perpetua start nano-lm --id my-run --budget-trials 90 --budget-usd 6',
  });
});
