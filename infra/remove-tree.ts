import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pathExists } from './files.ts';

const WORDS_BYTES = 300;

const removals = new Map<string, Promise<void>>();

/**
 * Removes a tree, also one with folders that cannot be read, names that are no text, no end to its depth, or millions of
 * entries: other programs do it, which read no folder whole, while this process goes on. Who asks for what is being removed
 * waits with those who asked before.
 */
export function removeTree(path: string): Promise<void> {
  const removal = removals.get(path) ?? remove(path).finally(() => removals.delete(path));
  removals.set(path, removal);
  return removal;
}

async function remove(path: string): Promise<void> {
  await run('rm', '-rf', '--', path);
  if (!(await pathExists(path))) return;
  // Follows no link.
  await run('chmod', '-R', 'u+rwx', '--', path);
  let words = await run('rm', '-rf', '--', path);
  if (!(await pathExists(path))) return;
  // What something is mounted on stays where who mounted it will look for it.
  if (!/busy/i.test(words)) {
    await flatten(path);
    words = await run('rm', '-rf', '--', path);
  }
  if (await pathExists(path)) throw new Error(`${path}: expected rm -rf to remove it; it says: ${words}`);
}

/** What it complains of first, in English: that has no end in a tree of somebody else's making. */
async function run(program: string, ...words: string[]): Promise<string> {
  const child = spawn('env', ['LC_ALL=C', program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  // Heard from here on, also where it cannot start; where descriptors run out it has no pipe either.
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const stderr = child.stderr as Readable | undefined;
  let said = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < WORDS_BYTES) said = `${said}${text}`.slice(0, WORDS_BYTES);
  });
  const [, signal] = await closed;
  // A Ctrl-C reaches it, too: half a removal says nothing about what stays.
  if (signal !== null) throw new Error(`${program} ${words.join(' ')}: ended by ${signal}`);
  return said.trim();
}

// Not every rm goes deeper than a path can be long: each folder is moved up to the top before it is looked into.
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
      // What comes to the top while it is read may be found there.
      if (folder === root && name.toString('latin1').startsWith(moved)) continue;
      const path = Buffer.concat([folder, name]);
      if (!entry.isDirectory()) {
        await unlessGone(unlink(path));
        continue;
      }
      // Moving a folder changes what is in it, which needs the right to.
      await unlessGone(chmod(path, 0o700));
      const above = Buffer.concat([root, Buffer.from(`${moved}${(count += 1)}`)]);
      await unlessGone(rename(path, above));
      folders.push(Buffer.concat([above, Buffer.from('/')]));
    }
    if (folder !== root) await unlessGone(rmdir(folder));
  }
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
