import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { CliError } from '../errors.ts';
import { printLine, type Io } from '../io.ts';
import { configOf, withDb, withTemporal } from '../context.ts';
import { workerProgramIn } from '../../config/paths.ts';
import { resolveAddresses } from '../../config/resolve.ts';

export function registerWorker(program: Command, io: Io): void {
  program
    .command('worker')
    .description('Start workers for the servers (Temporal, Postgres) of the environment, or of a running stack.')
    .option(
      '--queues <names>',
      'only these task queues, comma-separated: perpetua, perpetua-trial, perpetua-propose, fleet-<pool>, ' +
        'perpetua-monitor, perpetua-score',
    )
    .option('--json', 'errors as one JSON object')
    .action(async (options: { queues?: string }) => {
      const config = configOf(io);
      const { databaseUrl, temporal } = await resolveAddresses(config);
      const program = workerProgramIn(config.packageRoot);
      if (!existsSync(program))
        throw new CliError('failed', `Expected the built worker at ${program}, found none. Build it: npm run build`);
      await requireServers(io);
      // A listener that is added below would miss a signal that came before it.
      if (io.signal?.aborted) return;
      printLine(io, `starting workers for ${temporal.address}, namespace ${temporal.namespace}`);
      const env = {
        ...config.env,
        PERPETUA_HOME: config.home,
        DATABASE_URL: databaseUrl,
        TEMPORAL_ADDRESS: temporal.address,
        TEMPORAL_NAMESPACE: temporal.namespace,
      };
      const args = options.queues === undefined ? [] : [`--queues=${options.queues}`];
      await runToEnd(io, { program, args, env });
    });
}

/** Fails if a server is unreachable: with --json, the worker's own message and exit code would not reach the output. */
async function requireServers(io: Io): Promise<void> {
  await withTemporal(io, () => Promise.resolve());
  await withDb(io, (db) => db.execute('select 1'));
}

/** Runs the worker in the foreground, forwards Ctrl-C and TERM to it, and ends as it ends. */
async function runToEnd(
  io: Io,
  { program, args, env }: { program: string; args: string[]; env: Record<string, string> },
): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'inherit', detached: false });
  // A terminal sends its Ctrl-C to the child, too; another TERM does not harm a worker that drains.
  const forward = () => void child.kill('SIGTERM');
  io.signal?.addEventListener('abort', forward, { once: true });
  const { code, signal } = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
    (resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve({ code, signal }));
    },
  );
  io.signal?.removeEventListener('abort', forward);
  if (code === 0 || (io.signal?.aborted && (signal === 'SIGTERM' || signal === 'SIGINT'))) return;
  if (code === 2 || code === 3)
    throw new CliError(
      code === 2 ? 'refused' : 'unreachable',
      `The worker ended with code ${code}; its last lines say why.`,
    );
  throw new CliError('failed', `The worker ended with ${signal ?? `code ${code}`}; its last lines say why.`);
}
