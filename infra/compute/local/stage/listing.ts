import { readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pathExists } from '../../../files.ts';
import { lstatOptional, isExecutable } from './lstat-optional.ts';
import { preparedIn } from './prepared.ts';
import { jsonIn, OWNER_ONLY, stagePartsAt, type Manifest } from '../stage.ts';

/** Most files of a folder that are listed, so that no launch waits long for the comparison. */
const MOST_LISTED = 20_000;

/** The files that a setup left in a stage. */
const Listing = z.object({
  /** Paths in the workspace that were not staged; null: too many to list. */
  files: z.array(z.string()).nullable(),
  /** Descriptions of the files in `data` by path; only the first MOST_LISTED ones. */
  data: z.record(z.string(), z.string()),
});
type Listing = z.infer<typeof Listing>;

/** The file of the listing, apart from the mark of a setup, which every launch reads. */
const listingIn = (root: string): string => join(root, 'listing.json');

/** Writes the list of the files that a setup left in a stage. */
export async function writeListing(root: string, manifest: Manifest): Promise<void> {
  const { files, data } = stagePartsAt(root);
  const listing: Listing = { files: [], data: {} };
  for await (const path of filesIn(files)) {
    if (!manifest.has(path)) listing.files?.push(path);
    if (listing.files?.length === MOST_LISTED) listing.files = null;
    if (listing.files === null) break;
  }
  let remaining = MOST_LISTED;
  for await (const path of filesIn(data)) {
    const description = await describe(join(data, path));
    if (description !== undefined) listing.data[path] = description;
    if ((remaining -= 1) === 0) break;
  }
  await writeFile(listingIn(root), JSON.stringify(listing), OWNER_ONLY);
}

/** Returns a file that a copy of the workspace has too much, or lacks of the setup's; undefined if there is none. */
export async function findStrayFile(
  root: string,
  { manifest, copy }: { manifest: Manifest; copy: string },
): Promise<string | undefined> {
  const listing = await readListing(root);
  // Unknown: an older version set the stage up, or there were too many files to list.
  if (listing === undefined ? await pathExists(preparedIn(root)) : listing.files === null) return undefined;
  const missing = new Set(listing?.files);
  for await (const path of filesIn(copy)) if (!missing.delete(path) && !manifest.has(path)) return `${path} was added`;
  const [lost] = missing;
  return lost === undefined ? undefined : `${lost}, which its setup made, is gone`;
}

/** Returns a file of `data` that changed since the setup; undefined if there is none. Added files do not count. */
export async function findChangedData(root: string): Promise<string | undefined> {
  const { data } = stagePartsAt(root);
  for (const [path, before] of Object.entries((await readListing(root))?.data ?? {})) {
    const now = await describe(join(data, path));
    if (now !== before) return `data/${path}, which its setup made, ${now === undefined ? 'is gone' : 'has changed'}`;
  }
  return undefined;
}

async function readListing(root: string): Promise<Listing | undefined> {
  return Listing.safeParse(await jsonIn(listingIn(root))).data;
}

/**
 * Describes a file by its metadata, without its content; undefined if it is gone. The description has no time, since
 * programs write caches and locks again.
 */
async function describe(path: string): Promise<string | undefined> {
  const info = await lstatOptional(path);
  if (info?.isSymbolicLink()) return `link ${await readlink(path)}`;
  if (!info?.isFile()) return undefined;
  return `${info.size}${isExecutable(info) ? ' executable' : ''}`;
}

/** Paths of the files and links in a tree; copies of a tree have nothing else. */
async function* filesIn(root: string, above = ''): AsyncGenerator<string> {
  for (const entry of await readdir(join(root, above), { withFileTypes: true })) {
    const path = join(above, entry.name);
    if (entry.isDirectory()) yield* filesIn(root, path);
    // Network file systems keep a deleted file under such a name while it is open.
    else if ((entry.isFile() || entry.isSymbolicLink()) && !entry.name.startsWith('.nfs')) yield path;
  }
}
