import { expect, it } from 'vitest';
import { findProposer } from '../../../../domain/search/proposer/find-proposer.ts';
import type { Need } from '../../../../domain/search/proposer.ts';
import { KNOB_WRITERS, proposersThat } from '../../../../domain/search/proposer/makers.ts';
import { PROPOSERS } from '../../../../domain/search/proposer/table.ts';
import { Task } from '../../../../domain/task/task.ts';

const KNOB = { file: 'main.js', name: 'RATE', type: 'float', range: [0.1, 1] };
const NOTHING = { model: false, policy: false };

const taskWith = (proposer: unknown, knobs: unknown[] = [KNOB]) =>
  Task.parse({
    name: 'tiny',
    description: 'a tiny task',
    mutable: ['main.js'],
    run: { command: 'node main.js', budget: { seconds: 2 }, artefacts: [{ path: 'out.json' }] },
    metric: { name: 'loss', direction: 'minimize' },
    evaluator: { type: 'artefact', command: 'node score.js' },
    search: { proposer },
    knobs,
  });

/** The names of the proposers without that need, joined by "or". */
const without = (need: Need): string => proposersThat(({ needs }) => !needs.includes(need)).join(' or ');

it('chooses a policy if the worker has a trainer, with the settings of the task', () => {
  const proposer = { name: 'policy', base: 'tiny' };
  const found = findProposer(taskWith(proposer), { ...NOTHING, policy: true });
  expect(found).toMatchObject({ chosen: proposer, problem: null });
});

it('refuses a policy if the worker has no trainer, with the fix', () => {
  const refused = {
    chosen: null,
    problem:
      'search.proposer: policy needs a trainer on the worker: npx perpetua trainer install, ' +
      `or choose ${without('policy')}`,
  };
  expect(findProposer(taskWith('policy'), { ...NOTHING, model: true })).toEqual(refused);
  expect(findProposer(taskWith('random'), { ...NOTHING, asked: 'policy' })).toEqual(refused);
});

it('refuses a model without an endpoint, with the way to set one', () => {
  expect(findProposer(taskWith('llm'), NOTHING).problem).toContain(
    'set OPENAI_BASE_URL or OPENAI_API_KEY where the worker starts (npx perpetua down, set it, npm start)',
  );
});

it('refuses a policy that sets knobs if the task has none, but accepts one that edits', () => {
  const provided = { ...NOTHING, policy: true };
  expect(findProposer(taskWith('llm', []), { ...provided, asked: 'policy' }).problem).toMatch(
    /^search.proposer: policy needs knobs/,
  );
  const edits = { name: 'policy', answers: 'edits' };
  expect(findProposer(taskWith(edits, []), provided)).toMatchObject({ chosen: edits, problem: null });
});

it('never chooses a policy by itself', () => {
  const auto = taskWith('auto');
  expect(findProposer(auto, { model: true, policy: true }).chosen).toBe('llm');
  expect(findProposer(auto, { model: false, policy: true }).chosen).toBe('mix');
});

it('names a need that all members of a mixture have once', () => {
  expect(findProposer(taskWith('auto', []), NOTHING).problem).toMatch(
    /^search.proposer: mix needs knobs in the task[^;]*;[^;]*$/,
  );
});

it('counts the answers of a policy as unreviewed code', () => {
  expect(PROPOSERS.policy.writes).toBe('code');
  expect(KNOB_WRITERS).not.toContain('policy');
  expect(KNOB_WRITERS).toContain('random');
});

it('refuses a policy with an update if the worker can only sample', () => {
  const provided = { ...NOTHING, policy: true, learning: false };
  const task = taskWith('policy');
  expect(findProposer(task, provided).problem).toBeNull();
  const learning = { ...task, search: { ...task.search, update: 'grpo' } } as typeof task;
  expect(findProposer(learning, provided).problem).toMatch(
    /^search\.update: expected none, since the server of PERPETUA_POLICY_URL/,
  );
  expect(findProposer(learning, { ...provided, asked: 'random' }).problem).toBeNull();
});

it('refuses cma-es without its environment, with the command that installs it, and with choices', () => {
  const task = taskWith('cma-es');
  expect(findProposer(task, NOTHING).problem).toMatch(
    /^search\.proposer: cma-es needs Optuna on the worker: npx perpetua optimizer install, or choose /,
  );
  const installed = { ...NOTHING, optimizer: true };
  expect(findProposer(task, installed)).toMatchObject({ chosen: 'cma-es', problem: null });
  const choice = { file: 'a.py', name: 'mode', type: 'choice' as const, values: ['fast', 'slow'] };
  const mixed = { ...task, knobs: [...task.knobs, choice] };
  expect(findProposer(mixed, { ...installed, asked: 'cma-es' }).problem).toMatch(
    /^search\.proposer: expected knobs with numbers only, since cma-es sets no .* got the choice mode \(knobs\[1\]\)/,
  );
});
