import { isOfPath, type MissingTool } from './find-missing-tool.ts';

interface Place {
  folder: string;
  /** Folder of packages that only the Python of its own user looks into; null where the module is the Python's. */
  userSite: string | null;
}

/** What a task has under these keys of `run`. */
interface Keys {
  path: readonly string[];
  readable: readonly string[];
}

/** Whether the task has the key already: the line then takes its place. */
export const hasKey = (missing: MissingTool, { userSite }: Place, { path, readable }: Keys): boolean =>
  (isData(missing) || userSite !== null ? readable : path).length > 0;

const isData = (missing: MissingTool): boolean => missing.kind === 'file' && !isOfPath(missing);

/** The keys to add, as they stand below `run`. */
export function lineFor(missing: MissingTool, { folder, userSite }: Place, { path, readable }: Keys): string {
  if (userSite !== null)
    return `readable: ${inYaml([...readable, userSite])}  and  env: { PYTHONPATH: ${quoted(userSite)} }`;
  if (isData(missing)) return `readable: ${inYaml([...readable, folder])}`;
  return `path: ${inYaml([folder, ...path])}`;
}

/** Folders as a list in task.yaml. */
export const inYaml = (folders: readonly string[]): string => `[${folders.map(quoted).join(', ')}]`;
const quoted = (text: string): string => (/^[\w./+@-]+$/.test(text) ? text : JSON.stringify(text));
