import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SetupFailedError, StageMissingError } from '../../compute.ts';
import { pathExists } from '../../files.ts';
import { type BuiltPython, builtPython, isEnvironment } from '../../python/built.ts';
import type { LocalContext } from './context.ts';
import { readPathInfo } from './hide-folder.ts';
import { moveDamagedStage } from './stage/damaged-stages.ts';
import { stageIdIn } from './stage/identity.ts';
import { preparedIn } from './stage/prepared.ts';
import { stageParts } from './stage.ts';

/** The Python of a task here; undefined where it has none. Throws StageMissingError where it is not built. */
export async function pythonOf(
  context: LocalContext,
  environment: string | undefined,
): Promise<BuiltPython | undefined> {
  if (environment === undefined) return undefined;
  const { root, data } = stageParts(context.layout, environment);
  if (!(await pathExists(preparedIn(root)))) throw new StageMissingError(environment, context.host);
  const python = await builtPython(readPathInfo, data);
  if (python === undefined) throw new StageMissingError(environment, context.host, 'its interpreter is gone');
  return python;
}

/**
 * Whether an environment lost its interpreter, which a person may remove or replace at any time; it is set aside then, to be
 * built anew: without it the next `python` on the PATH would be another one.
 */
export async function discardLostPython(context: LocalContext, stageHash: string): Promise<boolean> {
  const { root, data } = stageParts(context.layout, stageHash);
  if (!isEnvironment(stageHash) || (await builtPython(readPathInfo, data)) !== undefined) return false;
  const id = await stageIdIn(root);
  if (id !== undefined) await moveDamagedStage(context.layout, { hash: stageHash, id });
  return true;
}

/** Throws where a user of a run's own, which no sandbox shows anything, could not enter the folders of a Python. */
export async function requireWorldReadable({ show }: BuiltPython): Promise<void> {
  for (const folder of show)
    for (let at = folder; at !== dirname(at); at = dirname(at))
      if (((await stat(at)).mode & 0o001) === 0)
        throw new SetupFailedError(
          `environment: expected ${folder} where every user may read it, since runs have a user of their own here and no sandbox; ` +
            `${at} is closed to others: allow a sandbox, or use a Python for all users and a PERPETUA_HOME outside ${at}`,
          '',
        );
}
