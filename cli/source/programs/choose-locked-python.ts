import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRequirement, satisfies } from '../../../domain/tools/requirement.ts';
import { findActivePython } from '../../../infra/python/active-python.ts';
import type { Source } from '../read-source.ts';

const VERSION = /(?<![\d.])3\.\d{1,2}(?:\.\d{1,2})?/;
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
  const textOf = (name: string): string => files.find(({ path }) => path === name)?.content.toString('utf8') ?? '';
  const venv = await readFile(join(root, '.venv', 'pyvenv.cfg'), 'utf8').catch(() => '');
  for (const text of [python ?? '', textOf('.python-version'), /^version(?:_info)?\s*=.*$/m.exec(venv)?.[0] ?? '']) {
    const found = VERSION.exec(text)?.[0];
    if (found !== undefined) return shortened(found);
  }
  const required = /^requires-python\s*=\s*["']([^"']+)["']/m.exec(textOf('uv.lock'))?.[1] ?? '';
  const bounds = readRequirement(`python${required.replace(/~=/g, '>=').replace(/\.\*/g, '')}`)?.bounds ?? [];
  const active = await findActivePython(['python3', 'python'], env);
  if (active !== null && VERSION.test(active.version) && satisfies(active.version, bounds))
    return shortened(active.version);
  return shortened(VERSION.exec(required)?.[0] ?? USUAL);
}

/** The version without its third number: the machine may have another one. */
const shortened = (version: string): string => version.split('.').slice(0, 2).join('.');
