import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Target } from '../../domain/attack/attack.ts';
import { type Exploit, planExploits } from '../../domain/attack/exploits.ts';
import { type Planned, planAttacks } from '../../domain/attack/plan-attacks.ts';
import { chooseAttacks } from '../../domain/attack/report-attacks.ts';
import { ATTACKS } from '../../domain/attack/table.ts';
import { mutableTexts } from '../../tasks/folder/mutable-texts.ts';
import { readExploits } from '../../tasks/folder/read-exploits.ts';
import { homePaths } from '../../config/paths.ts';
import { resolveAddresses } from '../../config/resolve.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Located } from '../task/locate-task.ts';
import { configOf } from '../context.ts';

const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '::1', '[::1]'];

/** Collects the secrets and ports of this machine that attacks try to reach. `folder`: the task's folder. */
async function targetOf(io: Io, { loaded, folder }: { loaded: LoadedTask; folder: string }): Promise<Target> {
  const config = configOf(io);
  const { temporal, databaseUrl } = await resolveAddresses(config);
  const { task, workspace, mutablePaths } = loaded;
  const paths = homePaths(config.home);
  const secrets = [paths.upFile, paths.runs, paths.temporal, paths.postgres, paths.logs];
  if (task.evaluator.type !== 'none') secrets.push(join(folder, task.evaluator.files));
  secrets.push(join(homedir(), '.ssh'));
  return {
    task,
    immutable: workspace.map(({ path }) => path).filter((path) => !mutablePaths.includes(path)),
    mark: `attack-${randomBytes(6).toString('hex')}`,
    secrets,
    ports: [`tcp://${temporal.address}`, databaseUrl].flatMap(localPorts),
  };
}

/** Port of an address; empty if the address is on another machine or names no port. */
function localPorts(address: string): number[] {
  const { hostname, port } = new URL(address);
  return LOCAL_HOSTS.includes(hostname) && port !== '' ? [Number(port)] : [];
}

/** The attacks that a user chose. */
export interface ChosenAttacks {
  /** Names of attacks; empty: all. */
  only?: readonly string[] | undefined;
  /** Includes attacks that burden the machine. */
  heavy?: boolean | undefined;
  /** Only the exploits of the task. */
  exploits?: boolean | undefined;
}

/**
 * Plans the candidates of each attack on a task, then those of the task's own exploits. Refuses a name in `only` that
 * no attack has, and a folder of exploits that is not readable.
 */
export async function planAttackRuns(
  io: Io,
  { loaded, folder }: Located,
  { only = [], heavy = false, exploits: onlyExploits = false }: ChosenAttacks,
): Promise<{ plan: Planned[]; target: Target }> {
  const files = mutableTexts(loaded.workspace, loaded.mutablePaths).texts;
  const exploits = planExploits(await exploitsOf({ loaded, folder }), files);
  if (onlyExploits && exploits.length === 0)
    throw refused(`Expected exploits of the task in ${join(folder, 'exploits')}, got none.`);
  const known = [...(onlyExploits ? [] : ATTACKS), ...exploits.map(({ attack }) => attack)];
  const { chosen, unknown } = chooseAttacks(known, only);
  if (unknown.length > 0)
    throw refused(
      `Expected --only to be one of ${known.map(({ name }) => name).join(', ')}; ` +
        `got ${unknown.map((name) => JSON.stringify(name)).join(', ')}.`,
    );
  const target = await targetOf(io, { loaded, folder });
  const plan = planAttacks(
    chosen.filter(({ where }) => where !== 'exploit'),
    { target, files, heavy },
  );
  return { plan: [...plan, ...exploits.filter(({ attack }) => chosen.includes(attack))], target };
}

async function exploitsOf({ loaded, folder }: { loaded: LoadedTask; folder: string }): Promise<Exploit[]> {
  const { exploits, problems } = await readExploits(folder, loaded.mutablePaths);
  const [first] = problems;
  if (first === undefined) return exploits;
  const { path, expected, got, todo } = first;
  throw refused(`${path.join('/')}: expected ${expected}, got ${got}; ${todo}.`);
}
