import { StageMissingError } from '../../compute.ts';
import { isThere } from '../../files.ts';
import { type BuiltPython, builtPython } from '../../python/built.ts';
import type { LocalContext } from './context.ts';
import { look } from './hide.ts';
import { preparedIn } from './stage/prepared.ts';
import { stageParts } from './stage.ts';

/** The Python of a task here; undefined where it has none. Throws StageMissingError where it is not built. */
export async function pythonOf(
  context: LocalContext,
  environment: string | undefined,
): Promise<BuiltPython | undefined> {
  if (environment === undefined) return undefined;
  const { root, data } = stageParts(context.layout, environment);
  if (!(await isThere(preparedIn(root)))) throw new StageMissingError(environment, context.host);
  const python = await builtPython(look, data);
  if (python === undefined) throw new StageMissingError(environment, context.host, 'its interpreter is gone');
  return python;
}
