import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { homePaths } from '../config/paths.ts';

/**
 * Names the place that holds this home's runs: a token kept in the home, since a machine's own name may change under it
 * (a recreated container, another network) and its runs would belong to nobody.
 */
export async function hostName(home: string): Promise<string> {
  const file = homePaths(home).host;
  try {
    // The first process to get there decides.
    await writeFile(file, `${hostname()}-${randomUUID().slice(0, 8)}\n`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const name = (await readFile(file, 'utf8')).trim();
  if (name === '') throw new Error(`Expected a name in ${file}, found nothing: delete the file and start again`);
  return name;
}
