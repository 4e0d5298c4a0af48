import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectPython, pythonVersionIn } from '../../../domain/tools/project-python.ts';
import { findActivePython } from '../../../infra/python/active-python.ts';
import type { Source } from '../read-source.ts';

/** Version of a project that requires none. */
const USUAL = '3.12';

/**
 * Chooses the Python of a project with uv.lock: the requested one, that of `.python-version` or of its `.venv`, the
 * shell's if the project accepts it, else the lowest that the project accepts.
 */
export async function chooseLockedPython(
  { root, files }: Pick<Source, 'root' | 'files'>,
  { python, env }: { python: string | null; env: Readonly<Record<string, string | undefined>> },
): Promise<string> {
  const texts = Object.fromEntries(files.map(({ path, content }) => [path, content.toString('utf8')]));
  const { pinned, lowest, accepts } = projectPython(texts);
  const venv = await readFile(join(root, '.venv', 'pyvenv.cfg'), 'utf8').catch(() => '');
  const ofVenv = /^version(?:_info)?\s*=.*$/m.exec(venv)?.[0] ?? '';
  const named = pythonVersionIn(python ?? '') ?? pinned ?? pythonVersionIn(ofVenv);
  if (named !== null) return named;
  const active = await findActivePython(['python3', 'python'], env);
  const ofShell = active !== null && accepts(active.version) ? pythonVersionIn(active.version) : null;
  return ofShell ?? lowest ?? USUAL;
}
