import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliVersion } from '../cli/cli-version.ts';

const NAME = 'temporal.db';
const VERSION = 'temporal.version.json';

/** Paths of Temporal's database file and of the note with the version that wrote it. */
export const databaseFiles = (dir: string) => ({ database: join(dir, NAME), version: join(dir, VERSION) });

/** Another version of the server wrote the database file. The versions' formats differ, and there is no migration. */
export class OtherServerVersionError extends Error {
  override readonly name = 'OtherServerVersionError';
}

/**
 * Checks that this version of the server may open the database file; for a new file, writes the note with the version.
 * Returns the file's path. Throws OtherServerVersionError.
 */
export async function claimDatabaseFile(dir: string, version: CliVersion): Promise<string> {
  const { database, version: noteFile } = databaseFiles(dir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const wrote = existsSync(noteFile) ? readServer(await readFile(noteFile, 'utf8')) : null;
  if (existsSync(database) && wrote !== version.server)
    throw new OtherServerVersionError(
      `Expected ${database} to be written by Temporal server ${version.server}; ` +
        `it was written by ${wrote === null ? 'an unknown version' : `server ${wrote}`}, and the formats differ. ` +
        'Run `npx perpetua up --fresh-temporal`: it moves the file away and continues from Postgres; ' +
        'no research is lost. ' +
        `Or set TEMPORAL_CLI_PATH to a \`temporal\` binary with that server.`,
    );
  if (wrote !== version.server) {
    await writeFile(`${noteFile}.next`, `${JSON.stringify(version)}\n`);
    await rename(`${noteFile}.next`, noteFile);
  }
  return database;
}

/** Moves the database file and its companions into `old/<time>`; returns that folder, or null if there was no file. */
export async function moveDatabaseAway(dir: string, now: Date): Promise<string | null> {
  const files = [NAME, `${NAME}-wal`, `${NAME}-shm`, `${NAME}-journal`, VERSION].filter((name) =>
    existsSync(join(dir, name)),
  );
  if (files.length === 0) return null;
  const old = join(dir, 'old', now.toISOString().replaceAll(':', '-'));
  await mkdir(old, { recursive: true });
  for (const name of files) await rename(join(dir, name), join(old, name));
  return old;
}

function readServer(text: string): string | null {
  try {
    const { server } = JSON.parse(text) as { server?: unknown };
    return typeof server === 'string' ? server : null;
  } catch {
    return null; // an unreadable note counts as none, so the file is refused
  }
}
