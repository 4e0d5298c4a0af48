/** Stands for a worker of 0.1: node worker-of-0.1.mjs ADDRESS all|scores. It names itself as the SDK does. */
import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, Worker, bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.argv[2] });

async function optionsOf(does) {
  if (does === 'scores') return [{ taskQueue: 'perpetua-score', activities: { score: () => undefined } }];
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('workflows-of-0.1.mjs', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  return ['perpetua', 'perpetua-trial'].map((taskQueue) => ({ taskQueue, workflowBundle }));
}

const all = await optionsOf(process.argv[3]);
const workers = await Promise.all(all.map((options) => Worker.create({ connection, ...options })));
const running = workers.map((worker) => worker.run());
process.stdout.write('polls\n');
await Promise.all(running);
