import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cwdOf } from '../process/cwd.ts';
import type { ProcessIdentity } from '../process/identity.ts';
import { findProcesses } from '../process/list.ts';
import type { CliVersion } from './cli/cli-version.ts';
import { databaseFiles } from './server/database-file.ts';
import { readPorts } from './server/presets.ts';

/** A running server of a folder. */
export interface RunningServer {
  process: ProcessIdentity;
  namespace: string;
  grpc: number;
  ui: number;
  version: CliVersion;
}

/** Finds a server that still holds this folder's database file after its parent was killed; null if there is none. */
export async function findRunningServer(dir: string): Promise<RunningServer | null> {
  if (!existsSync(dir)) return null;
  const folder = realpathSync(dir);
  const [found] = findProcesses((args, pid) => args[2] === 'start-dev' && cwdOf(pid) === folder);
  if (!found) return null;
  return {
    process: { pid: found.pid, startedAt: found.startedAt },
    namespace: argument(found.args, '--namespace') ?? 'default',
    ...(await portsOf(found.args, dir)),
    version: JSON.parse(await readFile(databaseFiles(dir).version, 'utf8')) as CliVersion,
  };
}

/** Ports of a server, from its presets; a server that version 0.2 started has them in its arguments. */
async function portsOf(args: string[], dir: string): Promise<{ grpc: number; ui: number }> {
  const [grpc, ui] = [argument(args, '--port'), argument(args, '--ui-port')];
  return grpc === undefined ? readPorts(dir) : { grpc: Number(grpc), ui: Number(ui) };
}

function argument(args: string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index === -1 ? undefined : args[index + 1];
}
