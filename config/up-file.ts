import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { homePaths } from './paths.ts';

/** A process by its id and the moment it started, so that a reused id is never taken for it. */
const Process = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

/** What runs in a home; `embedded` parts carry their process. */
export const UpState = z.object({
  version: z.literal(1),
  /** The process that looks after the stack. */
  owner: Process,
  writtenAt: z.string(),
  temporal: z.object({
    address: z.string(),
    namespace: z.string(),
    uiUrl: z.string().nullable(),
    embedded: Process.extend({ cli: z.string(), serverVersion: z.string() }).nullable(),
  }),
  postgres: z.object({
    /** With its password: the file is readable by its owner only. */
    url: z.string(),
    embedded: Process.extend({ dataDir: z.string(), serverVersion: z.string() }).nullable(),
  }),
  workers: z.array(Process.extend({ name: z.string() })),
  /** Null where none runs; earlier versions had none. */
  dashboard: Process.extend({ port: z.number().int().positive() }).nullable().optional(),
});
export type UpState = z.infer<typeof UpState>;

/** What up.json says, or null where there is none. Throws on one that cannot be read. */
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
      `${state.error.issues[0]?.message}). Stop what runs in that home, then delete the file.`,
  );
}

/** Writes up.json whole, by rename, readable by its owner only. Synchronous: concurrent calls must not share the draft. */
export function writeUpFile(home: string, state: UpState): void {
  const path = homePaths(home).upFile;
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
}

/** The stack of this home stopped; where it was is kept, for the ports of the next one. */
export async function retireUpFile(home: string): Promise<void> {
  const { upFile, lastUpFile } = homePaths(home);
  const state = await readUpFile(home).catch(() => null);
  if (state) {
    // Of a Postgres that is not ours nothing is kept, its password least of all.
    const { postgres } = state;
    const kept = { ...state, postgres: postgres.embedded ? postgres : { ...postgres, url: '' } };
    // A convenience: a full disk must not keep the stack from stopping, nor up.json from going.
    await writeFile(lastUpFile, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 }).catch(() => undefined);
  }
  await rm(upFile, { force: true });
}

/** The stack that stopped here last; null where there is none that can be read. It only saves people from new ports. */
export async function readLastUpFile(home: string): Promise<UpState | null> {
  const text = await readFile(homePaths(home).lastUpFile, 'utf8').catch(() => '');
  return UpState.safeParse(tryJson(text)).data ?? null;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused by the schema, with the file's name
  }
}
