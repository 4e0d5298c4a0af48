import { keepLocalDirect } from '../config/keep-local-direct.ts';
import { loadConfig } from '../config/load.ts';
import { describeStart } from './describe-start.ts';
import { startWorker, type RunningWorker } from './start-worker.ts';

keepLocalDirect();
// A full disk below the log must not end the worker.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const named = process.argv.find((argument) => argument.startsWith('--queues='));

async function start(): Promise<RunningWorker> {
  try {
    return await startWorker({
      config: loadConfig(),
      queues: named ? named.slice('--queues='.length).split(',') : null,
    });
  } catch (error) {
    const { message, code } = describeStart(error);
    process.stderr.write(`${message}\n`);
    process.exit(code); // Open connections would keep the process alive.
  }
}

const worker = await start();
process.stdout.write(`worker ${worker.holder} polls ${worker.queues.join(', ')}\n`);
await worker.stopped;
process.stdout.write(`worker ${worker.holder} stopped; runs under way continue\n`);
