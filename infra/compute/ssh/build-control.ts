import type { RunSpec } from '../../compute.ts';
import { confine } from '../run-protocol/confinement/confine.ts';
import type { Confinement } from '../run-protocol/confinement/confinement.ts';
import { runEnvironment } from '../run-protocol/environment.ts';
import { controlEntries } from '../run-protocol/control-files.ts';
import { newShortTmp } from '../run-protocol/short-tmp.ts';
import { sandboxMounts } from '../run-protocol/sandbox-mounts.ts';
import { foldersToShow } from '../tools/folders-to-show.ts';
import type { SshContext } from './context.ts';
import { pythonOf } from './python.ts';
import { requirePlainPath, type Entry } from './channel/tar.ts';

/** Folders of a run or a conversation on the host. */
export interface Folders {
  control: string;
  work: string;
  tmp: string;
  root: string;
  talk: boolean;
}

/** Entries of the candidate's files, which the host lays over its copy of the workspace, and of their list. */
export const candidateEntries = ({ files }: Pick<RunSpec, 'files'>): Entry[] => [
  { path: 'mutable', content: Buffer.from(files.map(({ path }) => `${requirePlainPath(path)}\n`).join('')) },
  ...files.map(({ path, content, executable }) => ({ path: `new/${path}`, content, mode: executable ? 0o755 : 0o644 })),
];

/**
 * Builds the control files of a run or a conversation, with its confinement and the uid that owns its files. `owner`:
 * that uid, if the files exist already.
 */
export async function buildControl(
  context: SshContext,
  { spec, stage, folders, owner }: { spec: RunSpec; stage: string; folders: Folders; owner?: number | undefined },
): Promise<{ entries: Entry[]; confinement: Confinement; uid: number | null }> {
  const data = `${stage}/data`;
  const { confinement, uid } = await confine(context, spec, owner);
  const taskFolders = await foldersToShow(context.tools, spec);
  const python = await pythonOf(context, spec.environment);
  const show = [...(await context.show()), ...taskFolders, data, ...(python?.show ?? [])];
  const view = await sandboxMounts(context.readPathInfo, { show, hide: await context.hide() });
  const entries = controlEntries({
    ...folders,
    ...view,
    short: confinement.sandboxed ? undefined : newShortTmp(),
    fence: spec.fence,
    command: spec.command,
    apart: spec.apart,
    env: runEnvironment(
      context,
      { ...spec, data, python },
      { work: folders.work, tmp: confinement.sandboxed ? '/tmp' : folders.tmp },
    ),
    limits: spec.limits,
    staged: `${stage}/files`,
    laid: spec.files,
    confinement,
    uid,
    supervisor: await context.link.supervisor(),
  });
  return { entries, confinement, uid };
}
