import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createReadStream } from 'node:fs';
import { CliError, refused } from '../errors.ts';
import { makeFolder } from '../task/make-folder.ts';

/** Exported files of a checkpoint with the names that other tools expect; without optimiser, teacher and value head. */
const NAMES: Readonly<Record<string, string>> = {
  'adapter.safetensors': 'adapter_model.safetensors',
  'adapter_config.json': 'adapter_config.json',
  'model.safetensors': 'model.safetensors',
};
const ABOUT = 'perpetua.json';

interface Export {
  /** Folder of the checkpoint. */
  folder: string;
  /** SHA-256 of the checkpoint's files, by name. */
  files: Readonly<Record<string, string>>;
  /** Version and base model, for a file of their own. */
  about: object;
}

/**
 * Writes the weights of a checkpoint into a new or empty folder, whole or not at all; returns the names of its files.
 * Verifies the hash of each file while copying it.
 */
export async function writeExport(out: string, { folder, files, about }: Export): Promise<string[]> {
  const wanted = Object.keys(NAMES).filter((name) => name in files);
  await refuseFull(out);
  await makeFolder(dirname(out));
  await removeLeftovers(out);
  const temporary = join(dirname(out), `.${basename(out)}.${randomBytes(6).toString('hex')}`);
  await mkdir(temporary);
  try {
    for (const name of wanted) {
      const hash = await copyHashed(join(folder, name), join(temporary, NAMES[name] ?? name));
      if (hash !== files[name])
        throw new CliError(
          'failed',
          `Expected ${join(folder, name)} to hash to ${files[name]}, got ${hash}: it was changed.`,
        );
    }
    await writeDurably(join(temporary, ABOUT), `${JSON.stringify(about, null, 2)}\n`);
    // A rename of a folder replaces only an empty folder.
    await rename(temporary, out);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  return [...wanted.map((name) => NAMES[name] ?? name), ABOUT];
}

/** Copies a file of any size to a new file, syncs it to the disk, and returns the SHA-256 of its contents. */
async function copyHashed(sourcePath: string, targetPath: string): Promise<string> {
  const hash = createHash('sha256');
  const target = await open(targetPath, 'wx');
  const source = createReadStream(sourcePath);
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

/** Age after which an export counts as dead. */
const LEAST_MS = 3_600_000;

/** Removes the temporary folders of killed exports to the same folder. */
async function removeLeftovers(out: string): Promise<void> {
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
    if (error.code === 'ENOTDIR') throw refused(`Expected ${out} to be a folder; it is a file. Name another folder.`);
    throw refused(`The folder ${out} cannot be read (${error.message}). Name another folder.`);
  });
  if (entries.length > 0)
    throw refused(`Expected ${out} to be a new or empty folder, it is not empty. Name another folder.`);
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
