import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../config/paths.ts';

interface Packed {
  /** Path of the package's file. */
  file: string;
  /** Size of the package's file in bytes. */
  size: number;
  /** Paths of the packed files. */
  paths: string[];
}

/** Runs `npm pack` in the clone, as a person does. */
export async function packInto(folder: string): Promise<Packed> {
  const args = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: packageRoot(), maxBuffer: 16 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as { filename: string; size: number; files: { path: string }[] }[];
  if (!packed) throw new Error(`expected one package from npm pack, got ${stdout}`);
  return { file: join(folder, packed.filename), size: packed.size, paths: packed.files.map(({ path }) => path) };
}
