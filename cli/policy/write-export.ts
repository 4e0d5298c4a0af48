import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createReadStream } from 'node:fs';
import { CliError, refused } from '../errors.ts';
import { makeFolder } from '../task/make-folder.ts';

/** Files of a checkpoint by the names under which other tools look for them; optimiser, teacher and value head stay behind. */
const NAMES: Readonly<Record<string, string>> = {
  'adapter.safetensors': 'adapter_model.safetensors',
  'adapter_config.json': 'adapter_config.json',
  'model.safetensors': 'model.safetensors',
};
const ABOUT = 'perpetua.json';

interface Export {
  /** The checkpoint's. */
  folder: string;
  /** Hashes by name. */
  files: Readonly<Record<string, string>>;
  /** Said in a file of its own: which version it is, and of which base. */
  about: object;
}

/**
 * Writes the weights of a checkpoint as a folder that is new or empty, whole or not at all; returns the names of its files.
 * Each is hashed while it is copied.
 */
export async function writeExport(out: string, { folder, files, about }: Export): Promise<string[]> {
  const wanted = Object.keys(NAMES).filter((name) => name in files);
  await refuseFull(out);
  await makeFolder(dirname(out));
  await removeLeft(out);
  const aside = join(dirname(out), `.${basename(out)}.${randomBytes(6).toString('hex')}`);
  await mkdir(aside);
  try {
    for (const name of wanted) {
      const came = await copyHashed(join(folder, name), join(aside, NAMES[name] ?? name));
      if (came !== files[name])
        throw new CliError(
          'failed',
          `Expected ${join(folder, name)} to hash to ${files[name]}, came ${came}: it was changed.`,
        );
    }
    await writeDurably(join(aside, ABOUT), `${JSON.stringify(about, null, 2)}\n`);
    // Takes the place of an empty folder, and of nothing else.
    await rename(aside, out);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
  return [...wanted.map((name) => NAMES[name] ?? name), ABOUT];
}

/** Copies a file, of any size, to a new one and returns the SHA-256 of what was written; it is on the disk then. */
async function copyHashed(from: string, to: string): Promise<string> {
  const hash = createHash('sha256');
  const target = await open(to, 'wx');
  const source = createReadStream(from);
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await target.writeFile(chunk);
    }
    await target.sync();
  } finally {
    source.destroy();
    await target.close();
  }
  return hash.digest('hex');
}

/** An export that takes longer than this is dead. */
const LEAST_MS = 3_600_000;

/** Removes what exports to the same folder have left that were killed. */
async function removeLeft(out: string): Promise<void> {
  for (const name of await readdir(dirname(out))) {
    const [before, hex] = [name.slice(0, -12), name.slice(-12)];
    if (before !== `.${basename(out)}.` || !/^[0-9a-f]{12}$/.test(hex)) continue;
    const path = join(dirname(out), name);
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory() && Date.now() - found.mtimeMs > LEAST_MS) await rm(path, { recursive: true, force: true });
  }
}

async function refuseFull(out: string): Promise<void> {
  const entries = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw refused(`Expected ${out} to be a new or empty folder: ${error.message}. Name another one.`);
  });
  if (entries.length > 0)
    throw refused(`Expected ${out} to be new or empty, it holds ${entries.length} entries. Name another folder.`);
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
