import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** Where `temporal` looks below its HOME for values of its options that its command line does not name. */
const presetsIn = (dir: string): string => join(dir, '.config', 'temporalio', 'temporal.yaml');

const Presets = z.object({ env: z.object({ default: z.record(z.string(), z.string()) }) });

/** What a server takes from a file that only its owner reads. */
export interface ServerPresets {
  grpc: number;
  ui: number;
  database: string;
}

/** Writes them for the next server of this folder. */
export async function writePresets(dir: string, { grpc, ui, database }: ServerPresets): Promise<void> {
  const file = presetsIn(dir);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const options = { port: String(grpc), 'ui-port': String(ui), 'db-filename': database };
  // JSON is YAML.
  await writeFile(`${file}.next`, `${JSON.stringify({ env: { default: options } })}\n`, { mode: 0o600 });
  await rename(`${file}.next`, file);
}

/** The ports that the last server of this folder was given. Throws where there are none. */
export async function readPorts(dir: string): Promise<{ grpc: number; ui: number }> {
  const { env } = Presets.parse(JSON.parse(await readFile(presetsIn(dir), 'utf8')));
  return { grpc: Number(env.default['port']), ui: Number(env.default['ui-port']) };
}
