import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { homePaths } from './paths.ts';

/** Where the dashboard of a home reads, as whoever starts it found; an address has a password in it. */
export const ReaderFile = z.object({
  url: z.string(),
  role: z.enum(['reader', 'read-only']),
  why: z.string().nullable(),
});
export type ReaderFile = z.infer<typeof ReaderFile>;

/** Writes it whole, by rename, for its owner's eyes only. */
export async function writeReaderFile(home: string, address: ReaderFile): Promise<void> {
  const path = homePaths(home).readerFile;
  await mkdir(dirname(path), { recursive: true });
  await chmod(dirname(path), 0o700);
  const next = `${path}.${process.pid}`;
  // The mode is of a file that is made now.
  await rm(next, { force: true });
  await writeFile(next, `${JSON.stringify(address, null, 2)}\n`, { mode: 0o600 });
  await rename(next, path);
}

/** Throws where there is none, or another version wrote it. */
export async function readReaderFile(home: string): Promise<ReaderFile> {
  const path = homePaths(home).readerFile;
  const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  const parsed = typeof found === 'string' ? ReaderFile.safeParse(tryJson(found)) : undefined;
  if (parsed?.success) return parsed.data;
  const why = typeof found === 'string' ? 'it has another form' : found.message;
  throw new Error(
    `Expected ${path} to say where the dashboard reads: ${why}. Start it with \`perpetua up\` or \`perpetua dashboard\`.`,
  );
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused by the schema, with the file's name
  }
}
