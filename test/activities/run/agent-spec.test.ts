import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { agentSpec } from '../../../activities/run/agent-spec.ts';
import type { Lease } from '../../../db/slot/slots.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import type { AgentRun } from '../../../domain/agent/agent-run.ts';
import { TASK } from '../../cli/support/lineage.ts';

const AGENT = {
  trialId: 'toy/1',
  command: 'my-agent',
  resume: null,
  transcript: null,
  prompt: 'Do it.',
  env: { MINE: '1' },
  files: {},
  readable: [],
  limits: { seconds: 1, cpuSeconds: 1, memoryMb: 1, diskMb: 1, outputMb: 1 },
} as unknown as AgentRun;

test('an agent has no GPU, whatever its worker and its task pass to runs', async () => {
  const environment = { CUDA_VISIBLE_DEVICES: '0,1', MINE: 'of the worker' };
  const deps = {
    machine: { environment },
    scoring: { hmac: (text: string) => text },
    hosts: { coresOf: () => 1, envOf: () => ({}), isOwnHost: () => true },
    gateway: {
      prepare: () => Promise.resolve({ folder: '/gate', socket: '/gate/llm.sock' }),
      relay: () => Promise.resolve(''),
      node: '/usr/bin/node',
      path: [],
    },
    store: {
      trial: {
        loadTrialAndResearch: () =>
          Promise.resolve({ trial: { parentId: 'p', seed: 1 }, research: { baselineCandidate: 'p' } }),
        loadCandidate: () => Promise.resolve({ files: {}, deleted: [] }),
      },
      task: { loadOriginals: () => Promise.resolve([]) },
    },
  } as unknown as ActivityDeps;
  const task = { ...TASK, run: { ...TASK.run, env: { CUDA_VISIBLE_DEVICES: '1' } } };
  const spec = await agentSpec(deps, {
    id: 'proposal/toy/1/agent',
    agent: AGENT,
    version: { task, hash: 'h', stageHash: 's', mutablePaths: [] } as unknown as TaskVersion,
    lease: { id: 'agents/0', pool: 'agents', index: 0, gpu: null, host: 'here', fence: 1 } as Lease,
    placement: 0,
  });
  expect(spec.env).toMatchObject({ CUDA_VISIBLE_DEVICES: '', MINE: '1' });
  expect(spec).toMatchObject({ sandbox: 'required', gateway: '/gate' });
});
