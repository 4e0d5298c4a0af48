import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SetupFailedError, StageMissingError, type SetupOptions } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { pathOf } from '../run-protocol/environment.ts';
import { pathExists, listNames } from '../../files.ts';
import { gpuVariables } from '../../visible-gpus.ts';
import { removeTree } from '../../remove-tree.ts';
import { moveDamagedStage } from './stage/damaged-stages.ts';
import { findShallowDamage } from './stage/damage.ts';
import { stageIdIn, numberOf } from './stage/identity.ts';
import { discardLostPython, pythonOf } from './python.ts';
import { isAlive, readOwner } from './attempt/owner.ts';
import { lockOf, preparedIn } from './stage/prepared.ts';
import { type Manifest, stagePartsAt, readManifest, stageParts } from './stage.ts';
import { isUsed } from './stage/used.ts';
import { killAll } from './kill/kill-all.ts';
import { otherProcesses, readOfProcess } from './kill/processes.ts';
import { lstatOptional, isExecutable } from './stage/lstat-optional.ts';
import { writeListing } from './stage/listing.ts';
import { isUnchanged } from './stage/is-unchanged.ts';

const TAIL_LINES = 100;
const POLL_MS = 500;
const GONE_MARK = 'the mark of its setup is gone';

/** True once the setup commands of that stage have succeeded here; an environment has its interpreter, too. */
export const isPrepared = async (context: LocalContext, stageHash: string): Promise<boolean> =>
  (await pathExists(preparedIn(stageParts(context.layout, stageHash).root))) &&
  !(await discardLostPython(context, stageHash));

interface Seen {
  pid: number;
  parent: number;
  session: number;
  /** It carries the setup's HOME. */
  tagged: boolean;
}

/**
 * Kills what still runs of the setup commands whose HOME is that folder: who carries it in its environment, who is in
 * a session that such a one leads, and all their children. Nothing is found by a process id that was written down,
 * which may be another's by now. Call it under the setup's lock: nothing of one's own runs then.
 */
const killSetup = (home: string): Promise<void> => killAll(() => setupMembers(home), `the setup in ${home}`);

async function setupMembers(home: string): Promise<number[]> {
  const seen = (await Promise.all((await otherProcesses()).map((pid) => look(pid, home)))).flat();
  const sessions = new Set(seen.filter(({ pid, session, tagged }) => tagged && pid === session).map(({ pid }) => pid));
  const members = new Set(seen.filter(({ session, tagged }) => tagged || sessions.has(session)).map(({ pid }) => pid));
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of seen) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

async function look(pid: number, home: string): Promise<Seen[]> {
  const stat = await readOfProcess(pid, 'stat');
  const [state, parent, , session] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  if (!state || !parent || !session || 'ZX'.includes(state)) return [];
  const tagged = (await readOfProcess(pid, 'environ')).split('\0').includes(`HOME=${home}`);
  return [{ pid, parent: Number(parent), session: Number(session), tagged }];
}

/** What a setup has left in a stage, as it is written down with the mark that it is over. */
interface Left {
  write(): Promise<void>;
}

/** Looks at what a setup has left in a stage. */
async function noteLeft(root: string, manifest: Manifest): Promise<Left> {
  const { files, data } = stagePartsAt(root);
  await mkdir(data, { recursive: true });
  const left = JSON.stringify({ changed: await changedIn(files, manifest), data: await listNames(data) });
  return {
    write: async () => {
      await writeListing(root, manifest);
      await writeFile(`${preparedIn(root)}.tmp`, left);
      await rename(`${preparedIn(root)}.tmp`, preparedIn(root));
    },
  };
}

/** Files of the workspace that are not what was staged: taken for the setup's doing, and each run says so of their content. */
async function changedIn(files: string, manifest: Manifest): Promise<string[]> {
  const changed: string[] = [];
  for (const [path, staged] of manifest) {
    const hasLostBit = staged.executable === true && !isExecutable(await lstatOptional(join(files, path)));
    if (hasLostBit || !(await isUnchanged(staged, files, path))) changed.push(path);
  }
  return changed;
}

/**
 * Runs the setup commands in the staged workspace, once per hash under a lock. They are the task's, hence trusted:
 * no sandbox, since they download. What they put into `$PERPETUA_DATA` every run sees there, read-only.
 */
export async function prepare(
  context: LocalContext,
  { stageHash, commands }: { stageHash: string; commands: string[] },
  watching: SetupOptions,
): Promise<void> {
  const python = await pythonOf(context, watching.environment);
  const { root, files, data } = stageParts(context.layout, stageHash);
  let id: string | undefined;
  let number: string | undefined;
  // Its home is the stage: a setup may take the id away.
  const isOurs = async (): Promise<boolean> => [id, number].includes(await stageIdIn(root));
  let damage: string | undefined;
  while (!(await isPrepared(context, stageHash))) {
    watching.signal.throwIfAborted();
    // Another may have come to its place since the last look, or none.
    [id, number] = [await stageIdIn(root), await numberOf(root)];
    const locked = id === undefined ? undefined : await lock(root);
    if (locked === undefined) throw new StageMissingError(stageHash, context.host);
    if (!locked) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    try {
      if (await isPrepared(context, stageHash)) return;
      // A worker that was killed leaves its setup running.
      await killSetup(root);
      const manifest = await readManifest(root, files);
      // Taken by something that cleans, or by a setup that did not come to its end.
      damage = await findShallowDamage(root, { manifest });
      // Runs were made from it after a setup, whose mark somebody removed, and read what that one made.
      const known = { hash: stageHash, id: id ?? '' };
      if (damage === undefined && (await isUsed(context.layout, known))) damage = GONE_MARK;
      if (damage !== undefined || !manifest) break;
      const path = pathOf(context, [...(python ? [python.bin] : []), ...(watching.path ?? [])]);
      const env = {
        ...gpuVariables(context),
        ...watching.env,
        PATH: path,
        HOME: root,
        LANG: 'C.UTF-8',
        PERPETUA_DATA: data,
      };
      watching.onBegin?.();
      for (const command of commands) await runSetup({ command, cwd: files, env }, watching);
      const left = await noteLeft(root, manifest);
      if (!(await isOurs())) throw new StageMissingError(stageHash, context.host);
      await left.write();
    } catch (error) {
      // Set aside just as it was locked, which may be why it failed; what lies in its place is not ours.
      if (!(await isOurs())) throw new StageMissingError(stageHash, context.host);
      await killSetup(root);
      throw error;
    } finally {
      if (await isOurs()) await unlock(root);
    }
  }
  if (damage === undefined || id === undefined) return;
  await moveDamagedStage(context.layout, { hash: stageHash, id });
  throw new StageMissingError(stageHash, context.host, damage);
}

// The lock is a folder with its owner in it, put in place whole; a dead owner's is moved away first. Undefined where the stage
// went meanwhile.
async function lock(root: string): Promise<boolean | undefined> {
  const folder = lockOf(root);
  const owner = await readOwner(join(folder, 'owner'));
  if (owner && (await isAlive(owner))) return false;
  // Moved to a name that only this owner has, and left there: who comes late cannot move the next one's lock.
  if (owner && !(await movedTo(folder, `${folder}.dead-${owner.boot}-${owner.pid}-${owner.start}`))) return false;
  const mine = `${folder}.${randomUUID()}`;
  try {
    await mkdir(mine);
    await writeFile(join(mine, 'owner'), await ownName());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // Replaces nothing, or a folder without an owner, but never a lock.
  if (await movedTo(mine, folder)) return true;
  await removeTree(mine);
  return false;
}

async function unlock(root: string): Promise<void> {
  const mine = `${lockOf(root)}.${randomUUID()}`;
  await rename(lockOf(root), mine);
  await removeTree(mine);
}

/** False where something lies there already, or another was faster. */
async function movedTo(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function ownName(): Promise<string> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const start = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return `${process.pid} ${start} ${boot}\n`;
}

async function runSetup(
  { command, cwd, env }: { command: string; cwd: string; env: Record<string, string> & { HOME: string } },
  { onOutput, signal }: SetupOptions,
): Promise<void> {
  // A listener is never told of what came before it.
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', `exec 2>&1\n${command}`], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    // What left the group may hold the pipe open. Where this fails, `prepare` tries again, and says so.
    killSetup(env.HOME).catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  const tail: string[] = [];
  const exited = new Promise<string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, by) => resolve(code === 0 ? null : `exit code ${code ?? by}`));
  });
  // Without descriptors it has no output, which is told below, and nobody waits for this.
  exited.catch(() => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    onOutput(line);
  });
  const problem = await exited.finally(() => signal.removeEventListener('abort', stop));
  signal.throwIfAborted();
  if (problem !== null)
    throw new SetupFailedError(`setup command ${JSON.stringify(command)}: ${problem}`, tail.join('\n'));
}
