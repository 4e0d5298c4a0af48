import { readFile } from 'node:fs/promises';
import type { ProcessIdentity } from '../process/identity.ts';
import { findProcesses } from '../process/list.ts';
import type { CliVersion } from './cli-version.ts';
import { databaseFiles } from './database-file.ts';

/** A server that holds a database file, as its own arguments describe it. */
export interface RunningServer {
  process: ProcessIdentity;
  namespace: string;
  grpc: number;
  ui: number;
  version: CliVersion;
}

/** The server that still holds this folder's database file (its parent was killed); null where none does. */
export async function findRunningServer(dir: string): Promise<RunningServer | null> {
  const { database, version } = databaseFiles(dir);
  const [found] = findProcesses((args) => args[2] === 'start-dev' && argument(args, '--db-filename') === database);
  if (!found) return null;
  return {
    process: { pid: found.pid, startedAt: found.startedAt },
    namespace: argument(found.args, '--namespace') ?? 'default',
    grpc: Number(argument(found.args, '--port')),
    ui: Number(argument(found.args, '--ui-port')),
    version: JSON.parse(await readFile(version, 'utf8')) as CliVersion,
  };
}

function argument(args: string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at === -1 ? undefined : args[at + 1];
}
