import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** File below HOME from which `temporal` reads options that its command line does not set. */
const presetsIn = (dir: string): string => join(dir, '.config', 'temporalio', 'temporal.yaml');

const Presets = z.object({ env: z.object({ default: z.record(z.string(), z.string()) }) });

/** Options of a server that are in a file which only the owner can read. */
export interface ServerPresets {
  grpc: number;
  ui: number;
  database: string;
}

/** Writes the presets for the next server of this folder. */
export async function writePresets(dir: string, { grpc, ui, database }: ServerPresets): Promise<void> {
  const file = presetsIn(dir);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const options = { port: String(grpc), 'ui-port': String(ui), 'db-filename': database };
  // Written as JSON, which is valid YAML.
  await writeFile(`${file}.next`, `${JSON.stringify({ env: { default: options } })}\n`, { mode: 0o600 });
  await rename(`${file}.next`, file);
}

/** Reads the ports of the last server of this folder; throws if there are none. */
export async function readPorts(dir: string): Promise<{ grpc: number; ui: number }> {
  const { env } = Presets.parse(JSON.parse(await readFile(presetsIn(dir), 'utf8')));
  return { grpc: Number(env.default['port']), ui: Number(env.default['ui-port']) };
}
