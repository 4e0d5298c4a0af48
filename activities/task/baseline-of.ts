import { candidateContent } from '../../domain/trial/candidate.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import type { Part } from '../deps.ts';

/** The candidate that is the unmodified workspace. */
export function baselineOf(deps: Part<'machine', 'sha256'>, { workspace, mutablePaths, immutableHash }: LoadedTask) {
  const decode = new TextDecoder();
  const mutable = workspace.filter((file) => mutablePaths.includes(file.path));
  const files = Object.fromEntries(mutable.map((file) => [file.path, decode.decode(file.content)]));
  return { id: deps.machine.sha256(candidateContent(files, immutableHash)), immutableHash, files };
}
