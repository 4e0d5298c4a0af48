import { createHash, randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Compute } from '../compute.ts';
import { collect } from './local/collect.ts';
import { protections } from './run-protocol/confinement/confine.ts';
import type { LocalContext } from './local/context.ts';
import { converse } from './local/converse.ts';
import { evaluatorSandbox, type EvaluatorSandbox } from './local/evaluator-sandbox.ts';
import { foldersOfPath } from './run-protocol/environment.ts';
import { pathExists } from '../files.ts';
import { makeOpenFolder } from '../make-open-folder.ts';
import { follow } from './local/follow.ts';
import { hideFolder, readPathInfo, maskedFolders, taskProgramFolders } from './local/hide-folder.ts';
import { kill } from './local/kill.ts';
import { launch } from './local/launch.ts';
import { layoutOf } from './run-protocol/paths.ts';
import { isPrepared, prepare } from './local/prepare.ts';
import { probe } from './local/probe.ts';
import { isStaged, stage } from './local/stage.ts';
import { createSupervisorStarter } from './local/supervisor-starter.ts';
import { inspect } from './local/attempt/state.ts';
import { once } from './run-protocol/once.ts';
import { cacheConfinement, type ConfinementCache } from './run-protocol/confinement/confinement-cache.ts';
import { findLocalPythons } from '../python/find-local.ts';
import { SYSTEM_PATH } from '../system-path.ts';
import type { VisibleGpus } from '../gpus/visible-gpus.ts';
import { remove, sweep } from './local/sweep.ts';
import { runToolsLocally } from './tools/run-tools-locally.ts';
import { locateMissing } from './tools/locate-missing.ts';
import { createMissingToolsCheck } from './tools/missing-tools.ts';

export interface LocalOptions extends VisibleGpus {
  /** PERPETUA_HOME; runs lie in `runs/`, stages in `stages/`. Never visible in a sandbox. */
  home: string;
  /** UUID of the installation: two installations on one host use separate folders. */
  installation: string;
  /** Name of this machine in the database; default: local. */
  host?: string;
  /** PATH of the runs; default: this Node's folder and the system's. Its folders are shown read-only in the sandbox. */
  path?: string;
  /** Further folders that sandboxed runs may read. */
  readable?: string[];
}

const PACKAGE = packageOf(dirname(fileURLToPath(import.meta.url)));
const SCRIPT = fileURLToPath(new URL('./supervisor.sh', import.meta.url));

/** This machine as a host: detached, contained and sandboxed runs under `supervisor.sh`. */
export function createLocalCompute(options: LocalOptions): Compute {
  const { context, forget } = createContext(options);
  const { layout } = context;
  for (const folder of [layout.runs, layout.stages]) makeOpenFolder(folder, 0o711);
  return {
    host: context.host,
    protections: (mode) => protections(context, mode),
    forgetConfinement: forget,
    hide: (folder) => hideFolder(context, folder),
    missingTools: createMissingToolsCheck(context.tools),
    locateMissing: (missing, scope) => locateMissing(context.tools, missing, scope),
    isStaged: (stageHash) => isStaged(layout, stageHash),
    stage: (stageHash, files) => stage(layout, stageHash, files),
    isPrepared: (stageHash) => isPrepared(context, stageHash),
    prepare: (stageHash, commands, watching) => prepare(context, { stageHash, commands }, watching),
    findPythons: findLocalPythons,
    launch: (spec) => launch(context, spec),
    inspect: (run) => inspect(layout, run),
    follow: (run, from, signal) => follow(context, run, { from, signal }),
    kill: (run, fence) => kill(context, run, fence),
    collect: (run, wanted) => collect(context, run, wanted),
    converse: (spec) => converse(context, spec),
    remove: (run) => remove(context, run),
    sweep: (request) => sweep(context, request),
  };
}

/** Sandboxes for evaluators on this machine, of which `places` run at once. */
export const createEvaluatorSandbox = ({ home, places = 1 }: { home: string; places?: number }): EvaluatorSandbox => {
  // Any installation id will do: evaluators have no run directories.
  const { context, forget } = createContext({ home, installation: 'any' });
  return evaluatorSandbox(context, { forget, places });
};

/** Caches of confinements by home, which all adapters of this process share: a probe starts several programs. */
const confinements = new Map<string, ConfinementCache>();

function createContext(options: LocalOptions): { context: LocalContext; forget: () => void } {
  // Mode 711: users of runs can pass through the home to their own run directories, but cannot list it.
  makeOpenFolder(options.home, 0o711);
  const home = realpathSync(options.home);
  const layout = layoutOf(home, options.installation);
  const path = options.path ?? `${dirname(process.execPath)}:${SYSTEM_PATH}`;
  const script = supervisorIn(home);
  const cache =
    confinements.get(home) ??
    cacheConfinement(async (sandbox) => probe(layout, { supervisor: await script(), sandbox }));
  confinements.set(home, cache);
  const { confinement, forget } = cache;
  const host = { host: options.host ?? 'local', path, isRoot: async () => process.getuid?.() === 0, confinement };
  const view = {
    layout,
    show: [...foldersOfPath(path), ...(options.readable ?? [])],
    hide: [home, PACKAGE],
  };
  const context: LocalContext = {
    ...host,
    ...view,
    installation: options.installation,
    visibleGpus: options.visibleGpus,
    gpuOrder: options.gpuOrder,
    remote: false,
    supervisor: script,
    starter: createSupervisorStarter(home),
    tools: {
      ...host,
      readPathInfo,
      runTools: runToolsLocally,
      masked: () => maskedFolders(view),
      ownHome: async () => [home],
      taskProgramFolders: () => taskProgramFolders(view),
    },
  };
  return { context, forget };
}

/** Root folder of this package, tasks included. The search goes upwards, since the build lies in a subfolder. */
function packageOf(folder: string): string {
  const parent = dirname(folder);
  return existsSync(join(folder, 'package.json')) || parent === folder ? folder : packageOf(parent);
}

/** Returns a getter of the script's path, which installs the script again if it was deleted while the worker runs. */
function supervisorIn(home: string): () => Promise<string> {
  let installed = once(() => installSupervisor(home));
  return async () => {
    const target = await installed();
    if (await pathExists(target)) return target;
    installed = once(() => installSupervisor(home));
    return installed();
  };
}

// A shell reads its script while it runs it. The name holds a hash, so that an update never changes a script in use.
async function installSupervisor(home: string): Promise<string> {
  const text = await readFile(SCRIPT);
  const target = join(home, 'bin', `supervisor-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.sh`);
  if (await pathExists(target)) return target;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  const temporary = `${target}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: 0o755 });
  await rename(temporary, target);
  return target;
}
