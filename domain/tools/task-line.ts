import { isOfPath, type MissingTool } from './find-missing-tool.ts';

interface ToolLocation {
  /** Folder of the program, the Python or the file. */
  folder: string;
  /** Folder of packages of a single user that has the module; null if the Python itself has it. */
  userSite: string | null;
}

/** Current values of two keys of a task's `run`. */
interface Keys {
  path: readonly string[];
  readable: readonly string[];
}

/** True if the task already has the key, so that the line of `lineFor` replaces it. */
export const hasKey = (missing: MissingTool, { userSite }: ToolLocation, { path, readable }: Keys): boolean =>
  (isData(missing) || userSite !== null ? readable : path).length > 0;

/** True for a file that is no program. */
export const isData = (missing: MissingTool): boolean => missing.kind === 'file' && !isOfPath(missing);

/** The line to put under `run` in task.yaml. */
export function lineFor(missing: MissingTool, { folder, userSite }: ToolLocation, { path, readable }: Keys): string {
  if (userSite !== null)
    return `readable: ${inYaml([...readable, userSite])}  and  env: { PYTHONPATH: ${quoted(userSite)} }`;
  if (isData(missing)) return `readable: ${inYaml([...readable, folder])}`;
  return `path: ${inYaml([folder, ...path])}`;
}

/** Folders as a list in task.yaml. */
export const inYaml = (folders: readonly string[]): string => `[${folders.map(quoted).join(', ')}]`;
const quoted = (text: string): string => (/^[\w./+@-]+$/.test(text) ? text : JSON.stringify(text));
