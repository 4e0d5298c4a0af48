import { createHash } from 'node:crypto';
import type { FileContent } from '../../compute.ts';
import { stageDirectory } from '../run-protocol/paths.ts';
import { newStageId } from '../run-protocol/stage-id.ts';
import type { SshContext } from './context.ts';
import { requirePlainPath, tarOf } from './channel/tar.ts';

/** Time in ms for which a stage that was found is not asked for again. Asking also keeps the host from removing it. */
const CACHE_MS = 60_000;

/** True once the workspace of that hash lies on the host. */
export async function isStaged(context: SshContext, stageHash: string): Promise<boolean> {
  stageDirectory((await context.link.facts()).layout, stageHash);
  if ((context.staged.get(stageHash) ?? 0) > Date.now()) return true;
  const isThere = (await context.link.call({ verb: 'staged', words: [stageHash] })).length > 0;
  if (isThere) context.staged.set(stageHash, Date.now() + CACHE_MS);
  else context.staged.delete(stageHash);
  return isThere;
}

/** Copies the workspace to the host in one stream, once per hash. A stream that is cut leaves no stage. */
export async function stage(context: SshContext, stageHash: string, files: FileContent[]): Promise<void> {
  for (const { path } of files) requirePlainPath(path);
  if (await isStaged(context, stageHash)) return;
  const hash = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
  const manifest = files.map(({ path, content }) => `${hash(content)} ${content.length} ${path}\n`).join('');
  const entries = [
    ownerOnly('manifest', manifest),
    ownerOnly('stage-id', `${newStageId()}\n`),
    ownerOnly('executable', files.map(({ path, executable }) => (executable ? `${path}\n` : '')).join('')),
    // The count shows whether a list is whole: a list that was cut between two lines would look whole.
    ownerOnly('count', `${files.length}\n`),
    ...files.map(({ path, content, executable }) => ({
      path: `files/${path}`,
      content,
      mode: executable ? 0o755 : 0o644,
    })),
  ];
  await context.link.call({ verb: 'stage', words: [stageHash], input: () => tarOf(entries) });
}

/** A file of a stage that only the worker reads: a run with a user of its own passes through its folder. */
const ownerOnly = (path: string, text: string) => ({ path, content: Buffer.from(text), mode: 0o600 });
