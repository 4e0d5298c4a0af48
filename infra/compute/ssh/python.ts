import { StageMissingError } from '../../compute.ts';
import { type Pythons, readPythons } from '../../python/read-pythons.ts';
import { stageDirectory } from '../run-protocol/paths.ts';
import { type BuiltPython, builtPython } from '../../python/built.ts';
import type { SshContext } from './context.ts';

/** Interpreters of a host for a version. */
export async function findPythons({ link, path }: SshContext, version: string): Promise<Pythons> {
  const [told] = await link.call({ verb: 'pythons', words: [version, path] });
  return readPythons(told?.payload.toString('utf8') ?? '');
}

/** The Python of a task on a host; undefined where it has none. Throws StageMissingError where it is not there. */
export async function pythonOf(
  { link, readPathInfo: look, host }: SshContext,
  environment: string | undefined,
): Promise<BuiltPython | undefined> {
  if (environment === undefined) return undefined;
  const { layout } = await link.facts();
  const python = await builtPython(look, `${stageDirectory(layout, environment)}/data`);
  if (python === undefined) throw new StageMissingError(environment, host);
  return python;
}
