/**
 * Records workflow histories for the replay tests: node dist/bench/record-histories.js [scenario …]
 * A history stands for open researches, so it is kept until the next minor version and never recorded again.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { packageRoot } from '../config/paths.ts';
import { contentsOf, lineOf, type Recorded } from './histories/contents.ts';
import { FLEET_SCENARIOS } from './histories/fleet-scenarios.ts';
import { JOB_SCENARIOS } from './histories/job-scenarios.ts';
import { isKept, KEPT_HISTORIES, type KeptWorkflow } from './histories/kept-histories.ts';
import { LEARNING_SCENARIOS } from './histories/learning-scenarios.ts';
import { RESEARCH_SCENARIOS } from './histories/research-scenarios.ts';
import { anonymizeHistory } from './histories/anonymize-history.ts';
import { SCENARIOS as EARLIER_SCENARIOS, type Recording } from './histories/scenarios.ts';
import { startTestStack, type TestStack } from './support/stack.ts';

const SCENARIOS = {
  ...EARLIER_SCENARIOS,
  ...RESEARCH_SCENARIOS,
  ...FLEET_SCENARIOS,
  ...JOB_SCENARIOS,
  ...LEARNING_SCENARIOS,
};

const folder = join(packageRoot(), 'test', 'histories');

/** Fetches the histories of the workflows that match the query, in the order of their starts. */
async function recordedOf(stack: TestStack, query: string): Promise<Recorded[]> {
  const runs = [];
  for await (const run of stack.client.workflow.list({ query })) runs.push(run);
  runs.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
  return Promise.all(
    runs.map(async ({ workflowId, runId }) => {
      const history = await stack.client.workflow.getHandle(workflowId, runId).fetchHistory();
      const json: unknown = JSON.parse(historyToJSON(history));
      return { workflowId, history: anonymizeHistory(json, stack.home) } as Recorded;
    }),
  );
}

function pick(workflow: KeptWorkflow, found: { runs: Recorded[]; trials: Recorded[] }): Recorded | undefined {
  if ('run' in workflow) return found.runs[workflow.run - 1];
  return found.trials.find((trial) => isKept(workflow, contentsOf(trial)));
}

async function keep(name: string, recorded: Recorded): Promise<void> {
  const file = `${name}.json`;
  await writeFile(join(folder, file), `${JSON.stringify(recorded)}\n`);
  appendFileSync(join(folder, 'contents.txt'), `${lineOf(file, contentsOf(recorded))}\n`);
  process.stdout.write(`${file}\n`);
}

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !SCENARIOS[name]);
if (unknown !== undefined)
  throw new Error(`Expected some of ${Object.keys(SCENARIOS).join(', ')}, got ${JSON.stringify(unknown)}`);
const scenarios = asked.length > 0 ? asked : Object.keys(SCENARIOS);
const kept = Object.entries(KEPT_HISTORIES).filter(([, [scenario]]) => scenarios.includes(scenario));
const there = kept.find(([name]) => existsSync(join(folder, `${name}.json`)));
if (there) throw new Error(`${there[0]}.json is there already: histories are never recorded again`);

await mkdir(folder, { recursive: true });
const stack = await startTestStack();
// Runs read the name of their machine from this file.
await writeFile(join(stack.home, 'host'), 'recorder\n');
try {
  const recording: Recording = { stack, worker: await stack.startWorker({ slots: 2 }) };
  for (const scenario of scenarios) {
    await SCENARIOS[scenario]?.(recording, scenario);
    const found = {
      runs: await recordedOf(stack, `WorkflowId = '${scenario}'`),
      trials: await recordedOf(stack, `WorkflowId STARTS_WITH '${scenario}/'`),
    };
    for (const [name, [, workflow]] of kept.filter(([, [from]]) => from === scenario)) {
      const recorded = pick(workflow, found);
      if (!recorded)
        throw new Error(`Expected the scenario ${scenario} to leave ${JSON.stringify(workflow)}, found none`);
      await keep(name, recorded);
    }
  }
} finally {
  await stack.stop();
}
