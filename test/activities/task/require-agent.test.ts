import { expect, test } from 'vitest';
import { requireAgents } from '../../../activities/task/require-agent.ts';
import { Task } from '../../../domain/task/task.ts';

const task = Task.parse({
  name: 'small',
  description: 'A small task.',
  mutable: ['a.py'],
  run: { command: 'python3 a.py', budget: { seconds: 5 } },
  metric: { name: 'loss', direction: 'minimize', from: 'stdout' },
  evaluator: { type: 'none' },
});
const recipe = { protocol: 'messages', command: 'my-agent', env: {}, files: {}, readable: [] };
const OPEN = { sandboxed: true, network: true, exposure: '', notes: [] };

const require = (
  settings: Record<string, unknown>,
  {
    usd,
    requires = [],
    ...more
  }: { usd?: number; requires?: string[]; protections?: object; missing?: string; lacks?: string; model?: string } = {},
) =>
  requireAgents(
    {
      agents: { find: () => ({ missing: more.missing ?? '' }) },
      gateway: { lacks: () => more.lacks ?? null },
      models: { priceOf: (name) => (name === 'priced' ? 1 : null), llmModel: more.model ?? 'other' },
      pools: {
        lacks: (needs) =>
          Promise.resolve([...needs.requires, ...needs.readable].map((folder) => `${folder} is missing`)),
        protections: () => Promise.resolve({ ...OPEN, ...more.protections } as never),
      },
    },
    { task: { ...task, requires }, proposer: { name: 'command', ...settings }, usd },
  );

test('an agent that can run is accepted, and other proposers need nothing of it', async () => {
  await require({ agent: recipe });
  await require({ agent: recipe, model: 'priced', usd: 1 }, { usd: 5 });
  await expect(
    requireAgents({} as never, { task, proposer: { name: 'llm' }, usd: undefined }),
  ).resolves.toBeUndefined();
});

test.each([
  ['is not installed', { agent: 'codex' }, { missing: 'run install' }, 'search.proposer.agent: run install'],
  ['lacks a folder', { agent: { ...recipe, readable: ['/a/b'] } }, {}, 'search.proposer.agent: /a/b is missing'],
  [
    'lacks a tool of the task',
    { agent: recipe },
    { requires: ['nvidia-smi'] },
    'search.proposer.agent: nvidia-smi is missing',
  ],
  ['has no endpoint', { agent: recipe }, { lacks: 'set ANTHROPIC_API_KEY' }, /^search.proposer.agent: set ANTHROPIC/],
  ['has no price for a budget', { agent: recipe }, { usd: 5 }, /^budget.usd: expected a price for other, found none/],
  ['has no price for its limit', { agent: recipe, usd: 1 }, {}, /^search.proposer.usd: expected a price for other/],
  [
    'would have no network of its own',
    { agent: recipe },
    { protections: { sandboxed: false, network: false, exposure: 'Runs reach all.', notes: ['Run as root.'] } },
    /^search.proposer: expected a machine whose sandbox .* found none. Runs reach all. Run as root.$/,
  ],
])('an agent is refused if it %s', async (_, settings, more, message) => {
  await expect(require(settings, more)).rejects.toThrow(message);
});
