import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { homePaths } from '../config/paths.ts';

/**
 * Host name of this home's runs: a token that is kept in the home. The machine's own name may change (a recreated
 * container, another network), and its runs would belong to no host.
 */
export async function hostName(home: string): Promise<string> {
  const file = homePaths(home).host;
  const mine = `${file}.${randomUUID()}`;
  await writeFile(mine, `${hostname()}-${randomUUID().slice(0, 8)}\n`);
  try {
    // The first process decides; a link appears together with its content.
    await link(mine, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(mine, { force: true });
  }
  const name = (await readFile(file, 'utf8')).trim();
  if (name === '')
    throw new Error(
      `Expected a host name in ${file}; the file is empty. Write the host of this machine's open runs into it ` +
        '(select distinct host from runs where ended_at is null). ' +
        'If no run is under way, delete the file and start again',
    );
  return name;
}
