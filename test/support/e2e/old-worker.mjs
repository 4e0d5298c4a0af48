/**
 * Stands for a worker of an older version: node old-worker.mjs ADDRESS all|scores. The SDK names it, so its identity
 * has no version.
 */
import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, Worker, bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.argv[2] });

async function optionsOf(does) {
  if (does === 'scores') return [{ taskQueue: 'perpetua-score', activities: { score: () => undefined } }];
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('old-workflows.mjs', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  return ['perpetua', 'perpetua-trial'].map((taskQueue) => ({ taskQueue, workflowBundle }));
}

const all = await optionsOf(process.argv[3]);
const workers = await Promise.all(all.map((options) => Worker.create({ connection, ...options })));
const running = workers.map((worker) => worker.run());
process.stdout.write('polls\n');
await Promise.all(running);
