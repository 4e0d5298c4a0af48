import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Target } from '../../domain/attack/attack.ts';
import { type Planned, planAttacks } from '../../domain/attack/plan-attacks.ts';
import { chooseAttacks } from '../../domain/attack/report-attacks.ts';
import { ATTACKS } from '../../domain/attack/table.ts';
import { mutableTexts } from '../../tasks/folder/mutable-texts.ts';
import { homePaths } from '../../config/paths.ts';
import { resolveAddresses } from '../../config/resolve.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Located } from '../task/locate-task.ts';
import { configOf } from '../context.ts';

const HERE = ['127.0.0.1', 'localhost', '::1', '[::1]'];

/** Secrets and ports of this machine that attacks on a task try to reach. `folder`: where the task lies. */
async function targetOf(io: Io, { loaded, folder }: { loaded: LoadedTask; folder: string }): Promise<Target> {
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

/** The candidates of each attack on a task; refuses a name that no attack has. */
export async function planAttackRuns(
  io: Io,
  { loaded, folder }: Located,
  { only = [], heavy = false }: { only?: readonly string[] | undefined; heavy?: boolean | undefined },
): Promise<{ plan: Planned[]; target: Target }> {
  const { chosen, unknown } = chooseAttacks(ATTACKS, only);
  if (unknown.length > 0)
    throw refused(
      `Expected --only to be one of ${ATTACKS.map(({ name }) => name).join(', ')}; came ${unknown.map((name) => JSON.stringify(name)).join(', ')}.`,
    );
  const files = mutableTexts(loaded.workspace, loaded.mutablePaths).texts;
  const target = await targetOf(io, { loaded, folder });
  return { plan: planAttacks(chosen, { target, files, heavy }), target };
}
