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

/** Finds the Python of a task here; undefined if the task has none. Throws StageMissingError if it is not built. */
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
 * Sets an environment aside if its interpreter is gone, and returns true if so. A person may remove an interpreter at
 * any time. Without the rebuild, runs would use another `python` of the PATH.
 */
export async function discardLostPython(context: LocalContext, stageHash: string): Promise<boolean> {
  const { root, data } = stageParts(context.layout, stageHash);
  if (!isEnvironment(stageHash) || (await builtPython(readPathInfo, data)) !== undefined) return false;
  const id = await stageIdIn(root);
  if (id !== undefined) await moveDamagedStage(context.layout, { hash: stageHash, id });
  return true;
}

/** Throws if the separate user of a run without a sandbox could not enter the folders of a Python. */
export async function requireWorldReadable({ show }: BuiltPython): Promise<void> {
  for (const folder of show)
    for (let path = folder; path !== dirname(path); path = dirname(path))
      if (((await stat(path)).mode & 0o001) === 0)
        throw new SetupFailedError(
          `environment: expected ${folder} to be readable by every user, ` +
            'since runs here have a user of their own and no sandbox; ' +
            `${path} is closed to others. Allow a sandbox, ` +
            `or use a Python for all users and a PERPETUA_HOME outside ${path}`,
          '',
        );
}
