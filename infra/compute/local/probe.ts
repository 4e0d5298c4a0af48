import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { confinements, PROCESS_GROUP, type Confinement } from './confinement.ts';
import { readEnd } from './end.ts';
import { removeTree } from '../../files.ts';
import type { Layout } from './paths.ts';
import { startSupervisor, writeControl } from './supervise.ts';

const NOBODY = 65_199;
const LIMITS = {
  wallSeconds: 20,
  cpuSeconds: null,
  graceSeconds: 1,
  memoryMb: 1024,
  processes: 64,
  outputBytes: 65_536,
  diskMb: 64,
};

/** Finds the best confinement that really works here, by running `true` in each. */
export async function probe(layout: Layout, options: { supervisor: string; sandbox: boolean }): Promise<Confinement> {
  for (const confinement of confinements(process.getuid?.() === 0, options.sandbox))
    if (await works(layout, confinement, options.supervisor)) return confinement;
  return PROCESS_GROUP;
}

async function works(layout: Layout, confinement: Confinement, supervisor: string): Promise<boolean> {
  const directory = join(layout.home, 'probe', randomUUID());
  const at = (name: string): string => join(directory, '0', name);
  const uid = confinement.ownUid ? NOBODY : null;
  try {
    for (const name of ['work', 'tmp', 'root']) await mkdir(at(name), { recursive: true });
    if (uid !== null) await chown(at('work'), uid, uid);
    await writeControl(at('ctl'), {
      control: at('ctl'),
      work: at('work'),
      tmp: at('tmp'),
      root: at('root'),
      fence: 0,
      talk: false,
      command: 'touch here && exit 9',
      env: { PATH: '/usr/bin:/bin', HOME: at('work') },
      limits: LIMITS,
      confinement,
      uid,
      show: [],
      hide: [],
      supervisor,
    });
    const child = await startSupervisor(supervisor, at('ctl'), { talk: false });
    await once(child, 'exit');
    return (await readEnd(at('ctl')))?.exitCode === 9;
  } finally {
    await removeTree(directory);
  }
}
