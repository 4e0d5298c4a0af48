import { candidateContent } from '../../domain/trial/candidate.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import type { PickDeps } from '../deps.ts';

/** Texts of files, by path. */
export function textsOf(files: readonly { path: string; content: Uint8Array }[]): Record<string, string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return Object.fromEntries(files.map(({ path, content }) => [path, decoder.decode(content)]));
}

/** The candidate that is the unmodified workspace. */
export function baselineOf(
  deps: PickDeps<'machine', 'sha256'>,
  { workspace, mutablePaths, immutableHash }: LoadedTask,
) {
  const mutable = workspace.filter((file) => mutablePaths.includes(file.path));
  const files = textsOf(mutable);
  return { id: deps.machine.sha256(candidateContent(files, immutableHash)), immutableHash, files };
}
