import { loadConfig } from '../config/load.ts';
import { startWorker } from './start-worker.ts';

const named = process.argv.find((argument) => argument.startsWith('--queues='));
const worker = await startWorker({
  config: loadConfig(),
  queues: named ? named.slice('--queues='.length).split(',') : null,
});
process.stdout.write(`worker ${worker.holder} polls ${worker.queues.join(', ')}\n`);
await worker.stopped;
