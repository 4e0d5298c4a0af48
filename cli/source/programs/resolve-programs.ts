import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import type { RunPrograms } from '../../../domain/source/build-task.ts';
import { findLaunched, hasInlineMetadata, programsIn, translateLaunched } from '../../../domain/tools/launcher.ts';
import { importedModules } from '../../../domain/prompt/imported-modules.ts';
import { namedPrograms, withoutActivation } from '../../../domain/source/locate-interpreters.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { isInside } from '../../../infra/compute/run-protocol/sandbox-mounts.ts';
import { isSystemPath } from '../../../infra/compute/run-protocol/spec.ts';
import {
  type ActivePython,
  askPython,
  findActivePython,
  type UserPackages,
} from '../../../infra/python/active-python.ts';
import { SYSTEM_PATH } from '../../../infra/system-path.ts';
import { onPath } from '../../../infra/temporal/cli/find-cli.ts';
import { configOf } from '../../context.ts';
import { refused } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { chooseLockedPython } from './choose-locked-python.ts';
import { findEnvironment } from './find-environment.ts';
import type { SourceRequest } from '../options.ts';
import type { Source } from '../read-source.ts';

/** Programs of a task, as a run in a sandbox finds them. */
export interface Programs extends RunPrograms {
  run: string;
  evaluate: string | null;
}

interface Context {
  source: Source;
  env: Readonly<Record<string, string | undefined>>;
  /** Folders of programs that were found so far. */
  folders: string[];
  /** True if a command was started by uv, so that uv.lock lists its packages. */
  usesUv: boolean;
  /** Version that a command requests; null: none. */
  python: string | null;
}

/**
 * Finds the programs that the commands of a source use in this shell: interpreters by their path, environments of
 * launchers such as `uv run`, and the active Python. Returns commands that find them by `path`.
 */
export async function resolvePrograms(io: Io, request: SourceRequest, source: Source): Promise<Programs> {
  const context: Context = { source, env: configOf(io).env, folders: [], usesUv: false, python: null };
  const run = await resolveCommand(request.run, '--run', context);
  const evaluate = request.evaluate === null ? null : await resolveCommand(request.evaluate, '--eval', context);
  const { root } = source;
  const ownPython = context.folders.some((folder) => isInside(folder, root));
  const active = await activePython({ run, evaluate }, context);
  const isOwn = ownPython || (active !== null && !active.isSystem && isInside(active.bin, root));
  const hasLock = source.files.some(({ path }) => path === 'uv.lock');
  if (hasLock && (context.usesUv || isOwn)) {
    const environment = { python: await chooseLockedPython(source, context), lock: 'uv.lock' };
    return { run, evaluate, path: [], readable: [], env: importsOfProject(source), environment };
  }
  if (active !== null && !active.isSystem) context.folders.push(active.bin);
  context.folders.push(...foldersOfPrograms(`${run}\n${evaluate ?? ''}`, context));
  const pythons = (active === null ? [] : [active]).concat(await pythonsIn(context));
  const { readable, env } = importsOf(pythons, context);
  const user = usedUserPackages({ run, evaluate }, { pythons, context });
  return {
    run,
    evaluate,
    path: [...new Set(context.folders)],
    readable: user === null ? readable : [...new Set([...readable, user.folder])],
    env: user === null ? env : { ...env, PYTHONUSERBASE: user.base },
    environment: null,
  };
}

/** Variables by which a project imports itself: its environment has its dependencies, and not the project. */
function importsOfProject({ files }: Source): Record<string, string> {
  if (files.some(({ path }) => path.startsWith('src/'))) return { PYTHONPATH: 'src' };
  const project = files.find(({ path }) => path === 'pyproject.toml')?.content.toString('utf8') ?? '';
  return project.includes('[build-system]') ? { PYTHONPATH: '.' } : {};
}

/** Rewrites a command for a copy of the source, and collects the folders of its programs. */
async function resolveCommand(command: string, option: string, context: Context): Promise<string> {
  const { source, env, folders } = context;
  // Files are found by their path in the copy.
  let text = command.replaceAll(`${source.root}/`, '');
  for (let found = withoutActivation(text); found !== null; found = withoutActivation(text)) {
    text = found.command;
    folders.push(resolve(source.root, found.activated));
  }
  for (const launched of findLaunched(text)) {
    const translated = translateLaunched(launched);
    if (typeof translated === 'string') throw refused(`${option}: ${translated}. ${HOW_TO_NAME}`);
    requireNoInlineMetadata(option, translated.command, source);
    if (launched.tool === 'uv') await useUv(option, context);
    else folders.push(await requireEnvironment(option, { tool: launched.tool, name: translated.environment, context }));
    context.python ??= translated.python;
    text = text.replace(launched.text, () => translated.command);
  }
  for (const { word, path } of namedPrograms(text, env)) {
    const file = resolve(source.root, path);
    // A script of the program itself is a part of its copy.
    const isOfSource = source.files.some(({ path: known }) => resolve(source.root, known) === file);
    if (isOfSource || isSystemPath(file) || !(await isExecutable(file))) continue;
    folders.push(dirname(file));
    // The first folder comes first on the PATH. In another one, the name alone could find another program.
    const isFirst = folders[0] === dirname(file);
    text = text.replace(word, () => (isFirst ? basename(file) : shellWord(file)));
  }
  return text;
}

const HOW_TO_NAME = 'Name the interpreter of an environment instead, such as .venv/bin/python train.py';

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

function requireNoInlineMetadata(option: string, command: string, { files }: Source): void {
  for (const { path, content } of files)
    if (command.split(/\s+/).includes(path) && hasInlineMetadata(content.toString('utf8')))
      throw refused(
        `${option}: ${path} declares its own packages (# /// script), which only uv run with a network installs. ` +
          `Install them once: uv export --script ${path} -o requirements.txt && uv venv .venv && ` +
          `uv pip install -r requirements.txt. Then: ${option} ".venv/bin/python ${path}"`,
      );
}

/** Notes that uv starts a program. Without a lock, its environment in the folder serves; without a project, none. */
async function useUv(option: string, context: Context): Promise<void> {
  const { source, env, folders } = context;
  context.usesUv = true;
  const has = (name: string): boolean => source.files.some(({ path }) => path === name);
  if (has('uv.lock') && has('pyproject.toml')) return;
  const found = await findEnvironment({ tool: 'uv', name: null, root: source.root, env });
  if (found !== null) folders.push(found);
  else if (has('pyproject.toml'))
    throw refused(
      `${option}: uv installs packages, which a run without a network cannot do. Run \`uv lock\` in ${source.root}: ` +
        "from uv.lock Perpetua installs the packages itself (the task's key environment)",
    );
}

async function requireEnvironment(
  option: string,
  { tool, name, context: { source, env } }: { tool: string; name: string | null; context: Context },
): Promise<string> {
  const found = await findEnvironment({ tool, name, root: source.root, env });
  if (found !== null) return found;
  const named = name === null ? '' : ` named ${name}`;
  throw refused(
    `${option}: expected an environment of ${tool}${named}, found none with a Python. ` +
      'Name its interpreter: /path/of/environment/bin/python train.py',
  );
}

/** Folders of this shell's PATH, besides the system's, in which it finds the programs of a command. */
function foldersOfPrograms(commands: string, { env, folders }: Context): string[] {
  const path = env.PATH ?? '';
  const system = SYSTEM_PATH.split(':');
  return programsIn(commands).flatMap((name) => {
    const [first] = onPath(name, path);
    // A shim stands for a program of a Python, whose folder is known already.
    const isKnown = folders.some((folder) => onPath(name, folder).length > 0) || /\/shims\//.test(first ?? '');
    if (first === undefined || isKnown || name.startsWith('python')) return [];
    return system.includes(dirname(first)) || dirname(first) === dirname(process.execPath) ? [] : [dirname(first)];
  });
}

/** The Python that the commands find by the PATH of this shell; null if they use none, or name it by its path. */
async function activePython(
  { run, evaluate }: { run: string; evaluate: string | null },
  { source, env, folders }: Context,
): Promise<ActivePython | null> {
  if (folders.length > 0) return null;
  const text = `${run}\n${evaluate ?? ''}`;
  const names = [...text.matchAll(/(?:^|[\s;&|(])(python[\d.]*)(?=\s|$)/gm)].map(([, name = '']) => name);
  if (names.length === 0 && !source.files.some(({ path }) => path.endsWith('.py'))) return null;
  // A shim of pyenv chooses the version of the program's folder.
  return findActivePython([...names, 'python3', 'python'], { ...env, PYENV_DIR: source.root });
}

async function pythonsIn({ folders, env }: Context): Promise<ActivePython[]> {
  const asked = await Promise.all([...new Set(folders)].map((folder) => askPython(`${folder}/python`, env)));
  return asked.filter((python) => python !== null);
}

/** Folders outside of the installations from which a run imports, and those in the source, which the copy replaces. */
function importsOf(
  pythons: readonly ActivePython[],
  { source: { root, files }, env }: Context,
): Pick<RunPrograms, 'readable' | 'env'> {
  const given = (env.PYTHONPATH ?? '').split(':').filter((entry) => entry !== '');
  const named = pythons.flatMap(({ elsewhere }) => elsewhere);
  const editable = pythons.flatMap((python) => python.editable);
  const own = (folder: string): boolean => isInside(resolve(root, folder), root);
  const copied = [...given, ...named].filter(own).map((folder) => relative(root, resolve(root, folder)) || '.');
  const hasOwnInstall = editable.some((folder) => resolve(folder) === root);
  if (hasOwnInstall && copied.length === 0)
    copied.push(files.some(({ path }) => path.startsWith('src/')) ? 'src' : '.');
  const outside = given.filter((folder) => !own(folder));
  const entries = [...new Set([...copied, ...outside])];
  const readable = [...outside, ...named, ...editable].filter((folder) => !own(folder) && !isSystemPath(folder));
  return { readable: [...new Set(readable)], env: entries.length === 0 ? {} : { PYTHONPATH: entries.join(':') } };
}

/** Packages of this user that the program needs; null: none. A run has another home, in which Python finds none. */
function usedUserPackages(
  { run, evaluate }: { run: string; evaluate: string | null },
  { pythons, context: { source, folders } }: { pythons: readonly ActivePython[]; context: Context },
): UserPackages | null {
  const commands = `${run}\n${evaluate ?? ''}`;
  const started = [...commands.matchAll(/\s-m\s+(\w+)/g)].map(([, name = '']) => name);
  const sources = source.files.filter(({ path }) => path.endsWith('.py'));
  const texts = Object.fromEntries(sources.map(({ path, content }) => [path, content.toString('utf8')]));
  const used = new Set([...importedModules(texts), ...started]);
  const isUsed = ({ base, modules }: UserPackages): boolean =>
    modules.some((module) => used.has(module)) || folders.some((folder) => isInside(folder, base));
  return pythons.map(({ user }) => user).find((user) => user !== null && isUsed(user)) ?? null;
}
