import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { homePaths } from './paths.ts';

/** A process by its id and its start time, so that a reused id is not mistaken for it. */
const Process = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

/** State of the stack that runs in a home; `embedded` parts have their process. */
export const UpState = z.object({
  version: z.literal(1),
  /** Process that manages the stack. */
  owner: Process,
  writtenAt: z.string(),
  temporal: z.object({
    address: z.string(),
    namespace: z.string(),
    uiUrl: z.string().nullable(),
    embedded: Process.extend({ cli: z.string(), serverVersion: z.string() }).nullable(),
  }),
  postgres: z.object({
    /** Includes its password: only the file's owner can read it. */
    url: z.string(),
    embedded: Process.extend({ dataDir: z.string(), serverVersion: z.string() }).nullable(),
  }),
  workers: z.array(Process.extend({ name: z.string() })),
  /** Null if none runs; absent in files of earlier versions. */
  dashboard: Process.extend({ port: z.number().int().positive() }).nullable().optional(),
});
export type UpState = z.infer<typeof UpState>;

/** State from up.json; null if there is no file. Throws if the file cannot be read. */
export async function readUpFile(home: string): Promise<UpState | null> {
  const path = homePaths(home).upFile;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const state = UpState.safeParse(tryJson(text));
  if (state.success) return state.data;
  throw new Error(
    `Expected ${path} as this version writes it, found another form (${state.error.issues[0]?.path.join('.')}: ` +
      `${state.error.issues[0]?.message}). Stop the stack of that home, then delete the file.`,
  );
}

/**
 * Writes up.json whole, by rename, readable by its owner only. Synchronous, because concurrent calls must not share the
 * draft.
 */
export function writeUpFile(home: string, state: UpState): void {
  const path = homePaths(home).upFile;
  mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
}

/** Removes up.json of a stack that stopped, and keeps its content for the ports of the next stack. */
export async function retireUpFile(home: string): Promise<void> {
  const { upFile, lastUpFile } = homePaths(home);
  const state = await readUpFile(home).catch(() => null);
  if (state) {
    // Nothing is kept of a Postgres that Perpetua did not start, above all not its password.
    const { postgres } = state;
    const kept = { ...state, postgres: postgres.embedded ? postgres : { ...postgres, url: '' } };
    // A failed write only costs the old ports: a full disk must not block the stop or the removal of up.json.
    await writeFile(lastUpFile, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 }).catch(() => undefined);
  }
  await rm(upFile, { force: true });
}

/** State of the stack that stopped here last; null if none can be read. It only keeps the ports the same. */
export async function readLastUpFile(home: string): Promise<UpState | null> {
  const text = await readFile(homePaths(home).lastUpFile, 'utf8').catch(() => '');
  return UpState.safeParse(tryJson(text)).data ?? null;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The schema rejects undefined, and the error names the file.
  }
}
