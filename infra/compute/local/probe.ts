import { randomUUID } from 'node:crypto';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { confinements, PROCESS_GROUP, type Confinement } from '../run-protocol/confinement/confinement.ts';
import { readEnd } from './attempt/read-end.ts';
import { foundBy, probeRun, probeUid } from '../run-protocol/confinement/probe-run.ts';
import { makeOpenFolder } from '../../make-open-folder.ts';
import { removeTree } from '../../remove-tree.ts';
import type { Layout } from '../run-protocol/paths.ts';
import { startSupervisor, writeControl } from './supervise.ts';

/** Returns the strongest confinement that works on this machine; runs a probe program in each until one works. */
export async function probe(layout: Layout, options: { supervisor: string; sandbox: boolean }): Promise<Confinement> {
  for (const confinement of confinements(process.getuid?.() === 0, options.sandbox)) {
    const found = await tryOut(layout, confinement, options.supervisor);
    if (found) return found;
  }
  return PROCESS_GROUP;
}

async function tryOut(layout: Layout, confinement: Confinement, supervisor: string): Promise<Confinement | undefined> {
  const directory = join(layout.home, 'probe', randomUUID());
  const at = (name: string): string => join(directory, '0', name);
  const uid = probeUid(confinement);
  try {
    for (const name of ['work', 'tmp', 'root']) makeOpenFolder(at(name), 0o711);
    if (uid !== null) await chown(at('work'), uid, uid);
    await writeControl(at('ctl'), probeRun(confinement, join(directory, '0'), supervisor));
    const { exited } = await startSupervisor(supervisor, at('ctl'), { talk: false });
    await exited;
    return foundBy(await readEnd(at('ctl')), confinement);
  } finally {
    await removeTree(directory);
  }
}
