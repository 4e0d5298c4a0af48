import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { isInside } from '../compute/run-protocol/sandbox-mounts.ts';
import { isSystemPath } from '../compute/run-protocol/spec.ts';
import { SYSTEM_PATH } from '../system-path.ts';
import { onPath } from '../temporal/cli/find-cli.ts';

/** A Python as a shell would run it, with the folders that it reads. */
export interface ActivePython {
  /** Folder of its programs; a shim counts as the interpreter behind it. */
  bin: string;
  version: string;
  /** True for the Python that a run finds by itself, by the system's PATH. */
  isSystem: boolean;
  /** Folders outside of the installation from which it imports: editable installs and `.pth` files. */
  elsewhere: string[];
  /** Projects that are installed in editable mode. */
  editable: string[];
  /** Packages of this user alone (`pip install --user`); null: none. */
  user: UserPackages | null;
}

/** Packages of one user, which every Python of that version finds in the user's home. */
export interface UserPackages {
  /** Value of PYTHONUSERBASE that names them. */
  base: string;
  /** Folder of the packages. */
  folder: string;
  /** Names of their modules. */
  modules: string[];
}

const Answer = z.object({
  executable: z.string(),
  prefixes: z.array(z.string()),
  version: z.string(),
  paths: z.array(z.string()),
  editable: z.array(z.string()),
  user: z.object({ base: z.string(), folder: z.string(), modules: z.array(z.string()) }).nullable(),
});

/** Python 2 and 3 run this program. It prints what an interpreter knows about itself. */
const PROBE = `
import glob, json, os, re, site, sys
try:
    from urllib.request import url2pathname
except ImportError:
    from urllib import url2pathname
editable = []
for folder in sys.path:
    for name in glob.glob(os.path.join(folder, "*.dist-info", "direct_url.json")):
        try:
            link = json.load(open(name))
            if link.get("dir_info", {}).get("editable") and link["url"].startswith("file://"):
                editable.append(url2pathname(link["url"][7:]))
        except Exception:
            pass
user = None
folder = site.getusersitepackages() if getattr(site, "ENABLE_USER_SITE", False) else None
if folder and os.path.isdir(folder):
    modules = sorted(set(re.split("[-.]", name)[0] for name in os.listdir(folder)))
    user = {"base": site.getuserbase(), "folder": folder, "modules": modules}
prefixes = [sys.prefix, getattr(sys, "base_prefix", sys.prefix)]
prefixes += [os.path.realpath(prefix) for prefix in prefixes]
print(json.dumps({"executable": sys.executable, "prefixes": prefixes, "version": sys.version.split()[0],
  "paths": [folder for folder in sys.path if os.path.isdir(folder)], "editable": editable, "user": user}))
`;

/** Asks an interpreter about itself; null if the file is no Python that runs. */
export async function askPython(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ActivePython | null> {
  // PYTHONPATH is the shell's, and no part of the installation.
  const { PYTHONPATH: _, ...others } = env;
  const asked = promisify(execFile)(file, ['-c', PROBE], { cwd: '/', env: others, timeout: 20_000 });
  const stdout = await asked.then(
    (result) => result.stdout,
    () => '',
  );
  const answer = Answer.safeParse(parseJson(stdout.trim().split('\n').at(-1) ?? ''));
  if (!answer.success) return null;
  const { executable, prefixes, version, paths, editable, user } = answer.data;
  const bin = dirname(executable);
  const isKnown = (folder: string): boolean =>
    isSystemPath(folder) || folder === user?.folder || prefixes.some((prefix) => isInside(folder, prefix));
  return {
    bin,
    version,
    isSystem: isOnSystemPath(executable),
    elsewhere: [...new Set(paths)].filter((folder) => isAbsolute(folder) && !isKnown(folder)),
    editable: [...new Set(editable)],
    user,
  };
}

/** True if the system's PATH finds this file first under its name. */
function isOnSystemPath(executable: string): boolean {
  const [first] = onPath(basename(executable), SYSTEM_PATH);
  return first !== undefined && isSystemEntry(dirname(executable)) && realpathSync(first) === realpathSync(executable);
}

const isSystemEntry = (folder: string): boolean => SYSTEM_PATH.split(':').includes(folder);

/**
 * The Python that a shell runs by one of these names. If that is the system's, the environment that VIRTUAL_ENV or
 * CONDA_PREFIX names. Null without a Python.
 */
export async function findActivePython(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ActivePython | null> {
  const [first] = names.flatMap((name) => onPath(name, env.PATH ?? ''));
  const found = first === undefined ? null : await askPython(first, env);
  if (found !== null && !found.isSystem) return found;
  for (const prefix of [env.VIRTUAL_ENV, env.CONDA_PREFIX]) {
    if (prefix === undefined || !isAbsolute(prefix)) continue;
    const named = await askPython(join(prefix, 'bin', 'python'), env);
    if (named !== null && !named.isSystem) return named;
  }
  return found;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
