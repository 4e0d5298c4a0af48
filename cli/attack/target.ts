import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Target } from '../../domain/attack/attack.ts';
import { resolveAddresses } from '../../config/resolve.ts';
import { homePaths } from '../../config/paths.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';

const HERE = ['127.0.0.1', 'localhost', '::1', '[::1]'];

/** Secrets and ports of this machine that attacks on a task try to reach. `folder`: where the task lies. */
export async function targetOf(io: Io, { loaded, folder }: { loaded: LoadedTask; folder: string }): Promise<Target> {
  const config = configOf(io);
  const { temporal, databaseUrl } = await resolveAddresses(config);
  const { task, workspace, mutablePaths } = loaded;
  const paths = homePaths(config.home);
  return {
    task,
    immutable: workspace.map(({ path }) => path).filter((path) => !mutablePaths.includes(path)),
    mark: `attack-${randomBytes(6).toString('hex')}`,
    secrets: [
      ...[paths.upFile, paths.runs, paths.temporal, paths.postgres, paths.logs],
      ...(task.evaluator.type === 'none' ? [] : [join(folder, task.evaluator.files)]),
      join(homedir(), '.ssh'),
    ],
    ports: [`tcp://${temporal.address}`, databaseUrl].flatMap(portHere),
  };
}

/** The port that an address names, where it is on this machine. */
function portHere(address: string): number[] {
  const { hostname, port } = new URL(address);
  return HERE.includes(hostname) && port !== '' ? [Number(port)] : [];
}
