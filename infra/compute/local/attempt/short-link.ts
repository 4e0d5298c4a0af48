import { lstat, readlink, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listNames, pathExists, readOptional } from '../../../files.ts';
import { isShortTmp } from '../../run-protocol/short-tmp.ts';
import { isInside } from '../../run-protocol/sandbox-mounts.ts';

const FOLDER = '/tmp';

/** Removes the link to the temporary folder of a control directory, which a killed supervisor left. */
export async function removeShortLink(control: string): Promise<void> {
  const spec = (await readOptional(join(control, 'spec'))) ?? '';
  const link = /^short='(.*)'$/m.exec(spec)?.[1] ?? '';
  if (isShortTmp(link) && (await targetOf(link)) === join(dirname(control), 'tmp')) await removeLink(link);
}

/** Removes links to temporary folders of runs that are gone: a person may have deleted their directories. */
export async function removeDanglingLinks(runs: string): Promise<void> {
  for (const name of await listNames(FOLDER)) {
    const link = join(FOLDER, name);
    if (!isShortTmp(link)) continue;
    const target = await targetOf(link);
    if (target !== undefined && isInside(target, runs) && !(await pathExists(target))) await removeLink(link);
  }
}

/** Removes a link. The supervisor or another sweep may have removed it after the caller read it. */
const removeLink = (link: string): Promise<void> => rm(link, { force: true });

/** Target of a link of this user; undefined if there is none. */
async function targetOf(link: string): Promise<string | undefined> {
  try {
    return (await lstat(link)).uid === process.getuid?.() ? await readlink(link) : undefined;
  } catch (error) {
    if (['ENOENT', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
