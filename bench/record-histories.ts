/**
 * Records workflow histories for the replay tests: node dist/bench/record-histories.js [scenario …]
 * Kept for ever, never recorded again under the same name: each stands for researches that are still open.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { packageRoot } from '../config/paths.ts';
import { contentsOf, lineOf, type Recorded } from './histories/contents.ts';
import { FLEET_SCENARIOS } from './histories/fleet-scenarios.ts';
import { LATER_SCENARIOS } from './histories/later-scenarios.ts';
import { nameless } from './histories/nameless.ts';
import { SCENARIOS as EARLIER_SCENARIOS, type Recording } from './histories/scenarios.ts';
import { startTestStack } from './support/stack.ts';

const SCENARIOS = { ...EARLIER_SCENARIOS, ...LATER_SCENARIOS, ...FLEET_SCENARIOS };

const folder = join(packageRoot(), 'test', 'histories');
await mkdir(folder, { recursive: true });
const minute = new Date().toISOString().slice(0, 16).replace(':', '');
const names = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(SCENARIOS);
const stack = await startTestStack();
// What runs call the machine that they are on.
await writeFile(join(stack.home, 'host'), 'recorder\n');
try {
  const recording: Recording = { stack, worker: await stack.startWorker({ slots: 2 }) };
  for (const name of names) {
    const scenario = SCENARIOS[name];
    if (!scenario) throw new Error(`Expected one of ${Object.keys(SCENARIOS).join(', ')}, got ${name}`);
    await scenario(recording, name);
    // One file per run of the chain, the first trials, and those that told of their end by a signal.
    let index = 0;
    for await (const run of stack.client.workflow.list({
      query: `WorkflowId = '${name}' or WorkflowId STARTS_WITH '${name}/'`,
    })) {
      const history = await stack.client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
      const signalled = history.events?.some((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes);
      if (run.workflowId.includes('/') && !/\/[12]$/.test(run.workflowId) && !signalled) continue;
      index += 1;
      const file = `${run.workflowId.replace('/', '-trial-')}-${minute}-${index}.json`;
      if (existsSync(join(folder, file)))
        throw new Error(`${file} is there already: histories are never recorded again`);
      const json: unknown = JSON.parse(historyToJSON(history));
      const recorded = { workflowId: run.workflowId, history: nameless(json, stack.home) } as Recorded;
      await writeFile(join(folder, file), `${JSON.stringify(recorded)}\n`);
      appendFileSync(join(folder, 'contents.txt'), `${lineOf(file, contentsOf(recorded))}\n`);
      process.stdout.write(`${file}\n`);
    }
  }
} finally {
  await stack.stop();
}
