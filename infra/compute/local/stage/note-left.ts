import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../../../files.ts';
import { infoOf, isExecutable } from './info.ts';
import { writeListing } from './listing.ts';
import { preparedIn } from './prepared.ts';
import { partsIn, type Manifest } from '../stage.ts';
import { isStill } from './still.ts';

/** What a setup has left in a stage, as it is written down with the mark that it is over. */
export interface Left {
  write(): Promise<void>;
}

/** Looks at what a setup has left in a stage. */
export async function noteLeft(root: string, manifest: Manifest): Promise<Left> {
  const { files, data } = partsIn(root);
  await mkdir(data, { recursive: true });
  const left = JSON.stringify({ changed: await changedIn(files, manifest), data: await namesIn(data) });
  return {
    write: async () => {
      await writeListing(root, manifest);
      await writeFile(`${preparedIn(root)}.tmp`, left);
      await rename(`${preparedIn(root)}.tmp`, preparedIn(root));
    },
  };
}

/** Files of the workspace that are not what was staged: taken for the setup's doing, and each run says so of their content. */
async function changedIn(files: string, manifest: Manifest): Promise<string[]> {
  const changed: string[] = [];
  for (const [path, staged] of manifest) {
    const hasLostBit = staged.executable === true && !isExecutable(await infoOf(join(files, path)));
    if (hasLostBit || !(await isStill(staged, files, path))) changed.push(path);
  }
  return changed;
}
