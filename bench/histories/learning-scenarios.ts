import { join } from 'node:path';
import { packageRoot } from '../../config/paths.ts';
import { endServers } from '../support/policy-servers.ts';
import { type TaskFiles, writeTask } from '../support/tasks.ts';
import type { Scenario } from './scenarios.ts';

/** Scenarios of researches that learn. */
export const LEARNING_SCENARIOS: Record<string, Scenario> = {
  // The policy learns from each of two batches before the next one is sampled.
  learnt: async (recording, id) => {
    const { stack } = recording;
    const program = [process.execPath, join(packageRoot(), 'test/support/policy/server.mjs')];
    await recording.worker.stop();
    recording.worker = await stack.startWorker({ slots: 2, env: { PERPETUA_POLICY_PROGRAM: JSON.stringify(program) } });
    const definition: TaskFiles['task'] = {
      name: 'learnt',
      knobs: [{ file: 'knobs.env', name: 'lr', type: 'float', range: [0.0001, 100], scale: 'log' }],
      run: {
        command: '. ./knobs.env; echo "$lr" > out.txt',
        budget: { seconds: 60, kind: 'wall' },
        artefacts: [{ path: 'out.txt' }],
        sandbox: 'none',
      },
      keep: { policy: 'strict', baselineRuns: 1 },
      search: {
        parent: 'original',
        context: 'none',
        proposer: { name: 'policy', base: 'any' },
        reward: { name: 'improvement', failed: -1, rejected: -1 },
        update: { name: 'grpo', batch: 4, group: 4, gates: [] },
      },
    };
    const files = { 'workspace/knobs.env': 'lr=0.002\n' };
    const path = await writeTask(join(stack.home, 'tasks', 'learnt'), { task: definition, files });
    await stack.startResearch(id, { task: path, budget: { proposals: 8 } });
    await stack.client.workflow.getHandle(id).result();
    await endServers(stack.home);
  },
};
