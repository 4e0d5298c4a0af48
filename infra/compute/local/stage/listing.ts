import { readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pathExists } from '../../../files.ts';
import { lstatOptional, isExecutable } from './lstat-optional.ts';
import { preparedIn } from './prepared.ts';
import { jsonIn, stagePartsAt, type Manifest } from '../stage.ts';

/** Files of each folder that are looked at, so that no launch waits long for it. */
const MOST_LISTED = 20_000;

/** What a setup left, file by file. */
const Listing = z.object({
  /** In the workspace, beyond what was staged; null where it is too many. */
  files: z.array(z.string()).nullable(),
  /** What it made for all runs, each with what it looked like; the first ones where it is too many. */
  data: z.record(z.string(), z.string()),
});
type Listing = z.infer<typeof Listing>;

/** Beside the mark of a setup, since that is read by every launch. */
const listingIn = (root: string): string => join(root, 'listing.json');

/** Writes down what a setup has left in a stage. */
export async function writeListing(root: string, manifest: Manifest): Promise<void> {
  const { files, data } = stagePartsAt(root);
  const listing: Listing = { files: [], data: {} };
  for await (const path of filesIn(files)) {
    if (!manifest.has(path)) listing.files?.push(path);
    if (listing.files?.length === MOST_LISTED) listing.files = null;
    if (listing.files === null) break;
  }
  let left = MOST_LISTED;
  for await (const path of filesIn(data)) {
    const mark = await markOf(join(data, path));
    if (mark !== undefined) listing.data[path] = mark;
    if ((left -= 1) === 0) break;
  }
  await writeFile(listingIn(root), JSON.stringify(listing));
}

/** What a copy of the workspace has too much, or lacks of what the setup put there; undefined where it is neither. */
export async function findStrayFile(
  root: string,
  { manifest, copy }: { manifest: Manifest; copy: string },
): Promise<string | undefined> {
  const listing = await readListing(root);
  // Set up by an older version, or too much of it.
  if (listing === undefined ? await pathExists(preparedIn(root)) : listing.files === null) return undefined;
  const missing = new Set(listing?.files);
  for await (const path of filesIn(copy))
    if (!missing.delete(path) && !manifest.has(path)) return `${path} was added to it`;
  const [lost] = missing;
  return lost === undefined ? undefined : `${lost}, which its setup made, is gone`;
}

/** What was changed of what the setup made for all runs; undefined where nothing was. Files that were added are not looked for. */
export async function findChangedData(root: string): Promise<string | undefined> {
  const { data } = stagePartsAt(root);
  for (const [path, mark] of Object.entries((await readListing(root))?.data ?? {})) {
    const now = await markOf(join(data, path));
    if (now !== mark) return `data/${path}, which its setup made, is ${now === undefined ? 'gone' : 'not what it was'}`;
  }
  return undefined;
}

async function readListing(root: string): Promise<Listing | undefined> {
  return Listing.safeParse(await jsonIn(listingIn(root))).data;
}

/** What a file looks like without a look inside; undefined where it is gone. Not when it was written: caches and locks are. */
async function markOf(path: string): Promise<string | undefined> {
  const info = await lstatOptional(path);
  if (info?.isSymbolicLink()) return `link ${await readlink(path)}`;
  if (!info?.isFile()) return undefined;
  return `${info.size}${isExecutable(info) ? ' executable' : ''}`;
}

/** Files and links of a tree, as copies have them. */
async function* filesIn(root: string, above = ''): AsyncGenerator<string> {
  for (const entry of await readdir(join(root, above), { withFileTypes: true })) {
    const path = join(above, entry.name);
    if (entry.isDirectory()) yield* filesIn(root, path);
    // Network file systems keep what is still open under such a name, for a while.
    else if ((entry.isFile() || entry.isSymbolicLink()) && !entry.name.startsWith('.nfs')) yield path;
  }
}
