import { StageMissingError } from '../../compute.ts';
import { type Pythons, readPythons } from '../../python/read-pythons.ts';
import { stageDirectory } from '../run-protocol/paths.ts';
import { type BuiltPython, builtPython } from '../../python/built.ts';
import type { SshContext } from './context.ts';

/** Finds the Python interpreters of a host for a version. */
export async function findPythons({ link, path }: SshContext, version: string): Promise<Pythons> {
  const [frame] = await link.call({ verb: 'pythons', words: [version, path] });
  return readPythons(frame?.payload.toString('utf8') ?? '');
}

/** Python environment of a task on a host; undefined if the task has none. Throws StageMissingError if it is gone. */
export async function pythonOf(
  { link, readPathInfo, host }: SshContext,
  environment: string | undefined,
): Promise<BuiltPython | undefined> {
  if (environment === undefined) return undefined;
  const { layout } = await link.facts();
  const python = await builtPython(readPathInfo, `${stageDirectory(layout, environment)}/data`);
  if (python === undefined) throw new StageMissingError(environment, host);
  return python;
}
