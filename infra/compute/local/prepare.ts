import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SetupFailedError, StageMissingError, type SetupOptions } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { pathOf, UNBUFFERED } from '../run-protocol/environment.ts';
import { pathExists, listNames } from '../../files.ts';
import { gpuVariables } from '../../gpus/visible-gpus.ts';
import { makeOpenFolder } from '../../make-open-folder.ts';
import { removeTree } from '../../remove-tree.ts';
import { moveDamagedStage } from './stage/damaged-stages.ts';
import { findShallowDamage } from './stage/damage.ts';
import { stageIdIn, inodeOf } from './stage/identity.ts';
import { discardLostPython, pythonOf } from './python.ts';
import { isAlive, readOwner } from './attempt/owner.ts';
import { lockOf, preparedIn } from './stage/prepared.ts';
import { type Manifest, OWNER_ONLY, stagePartsAt, readManifest, stageParts } from './stage.ts';
import { isUsed } from './stage/used.ts';
import { killAll } from './kill/kill-all.ts';
import { otherProcesses, readOfProcess } from './kill/processes.ts';
import { lstatOptional, isExecutable } from './stage/lstat-optional.ts';
import { writeListing } from './stage/listing.ts';
import { isUnchanged } from './stage/is-unchanged.ts';

/** Lines of output in the error of a failed setup. */
const TAIL_LINES = 100;
const POLL_MS = 500;
const GONE_MARK = 'the mark of its setup is gone';

/** True if the setup of that stage has succeeded here and, for an environment, its interpreter still exists. */
export const isPrepared = async (context: LocalContext, stageHash: string): Promise<boolean> =>
  (await pathExists(preparedIn(stageParts(context.layout, stageHash).root))) &&
  !(await discardLostPython(context, stageHash));

/** A living process. */
interface ProcessInfo {
  pid: number;
  parent: number;
  session: number;
  /** True if its environment has the setup's HOME. */
  tagged: boolean;
}

/**
 * Kills the processes of setup commands whose HOME is that folder: those with this HOME in their environment, those in
 * a session that such a process leads, and all their children. No stored process id is used, since the kernel reuses
 * ids. Call this under the setup's lock, so that it kills no setup of another caller.
 */
const killSetup = (home: string): Promise<void> => killAll(() => setupMembers(home), `the setup in ${home}`);

async function setupMembers(home: string): Promise<number[]> {
  const all = (await Promise.all((await otherProcesses()).map((pid) => readProcess(pid, home)))).flat();
  const sessions = new Set(all.filter(({ pid, session, tagged }) => tagged && pid === session).map(({ pid }) => pid));
  const members = new Set(all.filter(({ session, tagged }) => tagged || sessions.has(session)).map(({ pid }) => pid));
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

/** Reads one process; none if it is gone or a zombie. */
async function readProcess(pid: number, home: string): Promise<ProcessInfo[]> {
  const stat = await readOfProcess(pid, 'stat');
  const [state, parent, , session] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  if (!state || !parent || !session || 'ZX'.includes(state)) return [];
  const tagged = (await readOfProcess(pid, 'environ')).split('\0').includes(`HOME=${home}`);
  return [{ pid, parent: Number(parent), session: Number(session), tagged }];
}

/** The results of a setup, ready to be stored with the mark that the setup succeeded. */
interface SetupResults {
  write(): Promise<void>;
}

/** Reads the results of a setup from its stage. */
async function readResults(root: string, manifest: Manifest): Promise<SetupResults> {
  const { files, data } = stagePartsAt(root);
  makeOpenFolder(data, 0o755);
  const results = JSON.stringify({ changed: await changedIn(files, manifest), data: await listNames(data) });
  return {
    write: async () => {
      await writeListing(root, manifest);
      await writeFile(`${preparedIn(root)}.tmp`, results, OWNER_ONLY);
      await rename(`${preparedIn(root)}.tmp`, preparedIn(root));
    },
  };
}

/**
 * Paths of the workspace's files that differ from the staged ones, by content or executable bit. They count as changes
 * of the setup. Each run reports those with another content as changed.
 */
async function changedIn(files: string, manifest: Manifest): Promise<string[]> {
  const changed: string[] = [];
  for (const [path, staged] of manifest) {
    const hasLostBit = staged.executable === true && !isExecutable(await lstatOptional(join(files, path)));
    if (hasLostBit || !(await isUnchanged(staged, files, path))) changed.push(path);
  }
  return changed;
}

/**
 * Runs the setup commands in the staged workspace, once per hash under a lock. The commands are part of the task, hence
 * trusted, and run without a sandbox, since they download. Every run sees their files in `$PERPETUA_DATA`, read-only.
 */
export async function prepare(
  context: LocalContext,
  { stageHash, commands }: { stageHash: string; commands: string[] },
  watching: SetupOptions,
): Promise<void> {
  const python = await pythonOf(context, watching.environment);
  const { root, files, data } = stageParts(context.layout, stageHash);
  let id: string | undefined;
  let inode: string | undefined;
  // Also by the inode: the stage is the HOME of the setup, which may remove the file with the id.
  const isOurs = async (): Promise<boolean> => [id, inode].includes(await stageIdIn(root));
  let damage: string | undefined;
  while (!(await isPrepared(context, stageHash))) {
    watching.signal.throwIfAborted();
    // Another stage may have replaced it since the last round, or it may be gone.
    id = await stageIdIn(root);
    inode = await inodeOf(root);
    const locked = id === undefined ? undefined : await lock(root);
    if (locked === undefined) throw new StageMissingError(stageHash, context.host);
    if (!locked) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    try {
      if (await isPrepared(context, stageHash)) return;
      // A killed worker leaves its setup running.
      await killSetup(root);
      const manifest = await readManifest(root, files);
      // A cleaning program or an unfinished setup may have removed files.
      damage = await findShallowDamage(root, { manifest });
      // If runs use the stage, its setup succeeded and its mark was removed. A new setup would change what they read.
      const known = { hash: stageHash, id: id ?? '' };
      if (damage === undefined && (await isUsed(context.layout, known))) damage = GONE_MARK;
      if (damage !== undefined || !manifest) break;
      const path = pathOf(context, [...(python ? [python.bin] : []), ...(watching.path ?? [])]);
      const env = {
        ...UNBUFFERED,
        ...gpuVariables(context),
        ...watching.env,
        PATH: path,
        HOME: root,
        LANG: 'C.UTF-8',
        PERPETUA_DATA: data,
      };
      watching.onBegin?.();
      for (const command of commands) await runSetup({ command, cwd: files, env }, watching);
      const results = await readResults(root, manifest);
      if (!(await isOurs())) throw new StageMissingError(stageHash, context.host);
      await results.write();
    } catch (error) {
      // If the stage was set aside just as it was locked, that may be the cause. A stage in its place is not ours.
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

// Takes the lock: a folder that contains its owner and is renamed into place. First moves a dead owner's lock away.
// False if another process has the lock, undefined if the stage is gone.
async function lock(root: string): Promise<boolean | undefined> {
  const folder = lockOf(root);
  const owner = await readOwner(join(folder, 'owner'));
  if (owner && (await isAlive(owner))) return false;
  // The name is unique to the dead owner and stays taken: a late process that read it cannot move the next lock.
  if (owner && !(await tryRename(folder, `${folder}.dead-${owner.boot}-${owner.pid}-${owner.start}`))) return false;
  const mine = `${folder}.${randomUUID()}`;
  try {
    await mkdir(mine, { mode: 0o700 });
    await writeFile(join(mine, 'owner'), await ownIdentity(), OWNER_ONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // The rename can replace an empty folder, but never a lock.
  if (await tryRename(mine, folder)) return true;
  await removeTree(mine);
  return false;
}

async function unlock(root: string): Promise<void> {
  const mine = `${lockOf(root)}.${randomUUID()}`;
  await rename(lockOf(root), mine);
  await removeTree(mine);
}

/** Renames a folder; false if the target exists, or if another process was faster. */
async function tryRename(source: string, target: string): Promise<boolean> {
  try {
    await rename(source, target);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Identity of this process in the form that `readOwner` reads. */
async function ownIdentity(): Promise<string> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const start = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return `${process.pid} ${start} ${boot}\n`;
}

async function runSetup(
  { command, cwd, env }: { command: string; cwd: string; env: Record<string, string> & { HOME: string } },
  { onOutput, signal }: SetupOptions,
): Promise<void> {
  // A listener that is added after the abort is never called.
  signal.throwIfAborted();
  // Users of runs read what the setup makes, whatever the umask of the worker.
  const child = spawn('/bin/sh', ['-c', `umask 022; exec 2>&1\n${command}`], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    // A process that left the group may hold the pipe open. If this fails, `prepare` kills again and reports it.
    killSetup(env.HOME).catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  const tail: string[] = [];
  const exited = new Promise<string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signalName) => resolve(code === 0 ? null : `exit code ${code ?? signalName}`));
  });
  // Without a free descriptor, `child.stdout` is missing, and the next line throws before anything awaits `exited`.
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
