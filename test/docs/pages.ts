import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../config/paths.ts';

/** Paths of all Markdown pages at the root and in `docs/`. */
export async function pages(): Promise<string[]> {
  const root = await readdir(packageRoot());
  const docs = await readdir(join(packageRoot(), 'docs'), { recursive: true });
  return [...root, ...docs.map((path) => `docs/${path}`)].filter((path) => path.endsWith('.md')).sort();
}
