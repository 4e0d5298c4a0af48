import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pathExists } from './files.ts';

/** Most characters of a program's error output that are kept. */
const MESSAGE_LENGTH = 300;

/** Removals under way, by path. */
const removals = new Map<string, Promise<void>>();

/**
 * Removes a tree, even with unreadable folders, names that are no valid text, any depth, or millions of entries. Other
 * programs do the work without blocking this process. Concurrent calls for a path share one removal.
 */
export function removeTree(path: string): Promise<void> {
  const removal = removals.get(path) ?? remove(path).finally(() => removals.delete(path));
  removals.set(path, removal);
  return removal;
}

async function remove(path: string): Promise<void> {
  await run('rm', '-rf', '--', path);
  if (!(await pathExists(path))) return;
  // chmod -R follows no link.
  await run('chmod', '-R', 'u+rwx', '--', path);
  let complaint = await run('rm', '-rf', '--', path);
  if (!(await pathExists(path))) return;
  // Moves nothing if a folder is a mount point: the program that mounted it would no longer find it.
  if (!/busy/i.test(complaint)) {
    await flatten(path);
    complaint = await run('rm', '-rf', '--', path);
  }
  if (await pathExists(path)) throw new Error(`${path}: expected rm -rf to remove it; it says: ${complaint}`);
}

/** Runs a program and returns the start of its error output, in English; a hostile tree could cause endless output. */
async function run(program: string, ...args: string[]): Promise<string> {
  const child = spawn('env', ['LC_ALL=C', program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  // The listener exists before the program can fail to start. Without a free descriptor, the child has no pipe.
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const stderr = child.stderr as Readable | undefined;
  let output = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MESSAGE_LENGTH) output = `${output}${text}`.slice(0, MESSAGE_LENGTH);
  });
  const [, signal] = await closed;
  // A Ctrl-C reaches the child, too. After half a removal, the remaining tree is no failure.
  if (signal !== null) throw new Error(`${program} ${args.join(' ')}: ended by ${signal}`);
  return output.trim();
}

// Moves each folder up to the top before reading it: some versions of rm fail on paths longer than the system allows.
async function flatten(top: string): Promise<void> {
  const root = Buffer.from(`${top}/`);
  const moved = `.removed-${randomUUID()}-`;
  await unlessGone(chmod(top, 0o700));
  const folders = [root];
  let count = 0;
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const entries = await unlessGone(opendir(folder, { encoding: 'buffer' as BufferEncoding }));
    for await (const entry of entries ?? []) {
      const name = entry.name as unknown as Buffer;
      // A folder that was moved to the top during this loop may show up in it.
      if (folder === root && name.toString('latin1').startsWith(moved)) continue;
      const path = Buffer.concat([folder, name]);
      if (!entry.isDirectory()) {
        await unlessGone(unlink(path));
        continue;
      }
      // Moving a folder changes its `..` entry, which needs the right to write in it.
      await unlessGone(chmod(path, 0o700));
      const above = Buffer.concat([root, Buffer.from(`${moved}${(count += 1)}`)]);
      await unlessGone(rename(path, above));
      folders.push(Buffer.concat([above, Buffer.from('/')]));
    }
    if (folder !== root) await unlessGone(rmdir(folder));
  }
}

/** Undefined if the file is gone. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
