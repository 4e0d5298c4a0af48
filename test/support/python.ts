import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Compute } from '../../infra/compute.ts';
import { createEnvironments, type LockedPython } from '../../infra/python/environments.ts';
import { installEnvironment } from '../../infra/trainer/tool-environment.ts';

/** The folder where workers keep uv, too. */
export const UV_CACHE = join(homedir(), '.cache', 'perpetua', 'trainer');

/** A small package without dependencies, by its hash. */
export const SIX = `six==1.17.0 --hash=sha256:4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274\n`;

/** The lock of a task. */
export const lockedBy = (text: string, python = '3'): LockedPython => ({
  environment: { python, lock: 'requirements.lock' },
  files: [{ path: 'requirements.lock', content: Buffer.from(text) }],
});

/** Environments that are built from the package index of this machine, or by these settings of uv. */
export const realEnvironments = (settings: Record<string, string> = {}) =>
  createEnvironments({ env: { ...installEnvironment(process.env), ...settings }, cache: UV_CACHE });

/** Version of an installed Python, such as 3.11. `lacks`: reason why nothing can be built here; null if it can. */
export async function findBuildablePython(compute: Compute): Promise<{ python: string; lacks: string | null }> {
  const { fits, others } = await compute.findPythons('9.9', installEnvironment(process.env));
  const [found] = fits ? [fits] : others.filter(({ version }) => /^3\.(9|1\d)\./.test(version));
  if (found === undefined) return { python: '', lacks: 'no Python from 3.9 on is on this machine' };
  const python = found.version.split('.').slice(0, 2).join('.');
  const watching = { onOutput: () => undefined, signal: AbortSignal.timeout(300_000) };
  try {
    await realEnvironments().build(compute, lockedBy(SIX, python), watching);
    return { python, lacks: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (!/package index|pip cannot get/.test(why)) throw error;
    return { python, lacks: `no package index is reached from here (${why})` };
  }
}
