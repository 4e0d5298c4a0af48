import { HostConfigError, type Compute, type FollowEvent, type Offsets, type RunRef } from '../compute.ts';
import { SYSTEM_PATH } from '../system-path.ts';
import { collect, hasAnyRun } from './ssh/collect.ts';
import { connectThrough } from './ssh/connection/connect.ts';
import { keepConnection } from './ssh/connection/connection.ts';
import { openLocalLogin } from './ssh/connection/local-login.ts';
import { endOfFrame, type SshContext } from './ssh/context.ts';
import { converse } from './ssh/converse.ts';
import { createFollower, type Follower } from './ssh/follow.ts';
import { inspectAttempt, launch } from './ssh/launch.ts';
import { type Link, linkTo } from './ssh/channel/link.ts';
import {
  killGpuLeftovers,
  createPathInfoReader,
  type Machine,
  readMachine,
  probe,
  requireFolders,
} from './ssh/machine/machine.ts';
import { isPrepared, prepare, type Setups } from './ssh/prepare.ts';
import { findPythons } from './ssh/python.ts';
import { isStaged, stage } from './ssh/stage.ts';
import { clean, type Cleaned, kill, remove, countSpared, type Spared, type Sweep, sweep } from './ssh/sweep.ts';
import { resolveTargets, type SshAddress } from './ssh/connection/target.ts';
import { protections } from './run-protocol/confinement/confine.ts';
import { locateMissing } from './tools/locate-missing.ts';
import { createMissingToolsCheck } from './tools/missing-tools.ts';
import type { ToolHost } from './tools/tool-host.ts';
import { entriesOfPath, foldersOfPath } from './run-protocol/environment.ts';
import { cacheConfinement } from './run-protocol/confinement/confinement-cache.ts';
import { runName } from './run-protocol/paths.ts';
import { SYSTEM_FOLDERS } from './run-protocol/spec.ts';

export interface SshOptions extends SshAddress {
  /** UUID of the installation: two installations on one host use separate folders. */
  installation: string;
  /** Name of the host in the database; default: its address. */
  host?: string;
  /** Scratch folder on the host; "~" is its user's home; default: ~/.perpetua-host. Never visible in a sandbox. */
  scratch?: string;
  /** PATH of the runs; default: the system's. Its folders are shown read-only in the sandbox. */
  path?: string;
  /** Further folders of the host that sandboxed runs may read. */
  readable?: string[];
  /** Age in days from which the next run removes run directories of this installation on the host; default: 14. */
  keepDays?: number;
  /**
   * Size of all workspaces on the host, in GB of 10⁹ bytes, above which the host removes the least recently used ones;
   * default: 50.
   */
  cacheGb?: number;
  /** Seconds for which connecting to a host that does not answer is retried, before an error; default: 20. */
  patienceSeconds?: number;
  /** Seconds between keep-alives; a connection is lost after three without an answer; default: 5. */
  aliveSeconds?: number;
  /** Seconds without a report of runs after which the follower opens another channel; default: 60. */
  silenceSeconds?: number;
  /** Shell that interprets the host script; default: /bin/sh. */
  shell?: string;
  /** Environment of the host script on this very machine, where it starts without SSH; absent: over SSH. */
  localEnvironment?: Readonly<Record<string, string>>;
  /** Reason why this process cannot reach the host; absent if it can. */
  unreachableReason?: string;
}

/** A host that is reached by SSH. */
export interface SshCompute extends Compute {
  /** True if the machine began one of these runs: then it is the same machine, even at another address. */
  hasAnyRun(runs: readonly RunRef[]): Promise<boolean>;
  /** Resources of the host: cores, memory, free disk, GPUs. */
  machine(): Promise<Machine>;
  /** Throws a host error if a folder of `readable` does not exist: no sandbox can be built without it. */
  requireReadable(): Promise<void>;
  /** Kills processes that ended runs left on its GPUs, as `machine()` found them. */
  killGpuLeftovers(found: Pick<Machine, 'boot' | 'uses'>): Promise<void>;
  /** Counts the run directories that such a sweep keeps, by reason. */
  countSpared(options: { keep: RunRef[]; olderThanSeconds: number }): Promise<Spared>;
  /**
   * Sweeps. Then, if all workspaces together exceed `cacheGb`, removes those that no run directory needs. With
   * `dryRun`, only reports what it would remove.
   */
  clean(options: Sweep): Promise<Cleaned>;
  /** Seconds since the host last answered this process; null if it never did. */
  secondsSinceAnswer(): number | null;
  /** Seconds since a caller last used the connection; 0 while one does. */
  idleSeconds(): number;
  /** Ends the connection; runs go on. */
  close(): void;
}

/**
 * Makes the adapter of a host that is reached by SSH, or of this machine with its GPUs. Its runs have the same
 * supervisor as local runs.
 */
export function createSshCompute(options: SshOptions): SshCompute {
  const { context, hidden, forget, follower, close } = createContext(options);
  const setups: Setups = new Map();
  return {
    host: context.host,
    hasAnyRun: (runs) => hasAnyRun(context, runs),
    machine: () => readMachine(context.link),
    requireReadable: () => requireFolders(context.link, options.readable ?? []),
    killGpuLeftovers: (found) => killGpuLeftovers(context.link, found),
    protections: (mode) => protections(context, mode),
    forgetConfinement: forget,
    // The folder is one of this machine. It matters if the host is this machine, or shares its files.
    hide: async (folder) => {
      if (!SYSTEM_FOLDERS.includes(folder)) hidden.add(folder);
    },
    missingTools: createMissingToolsCheck(context.tools),
    locateMissing: (missing, scope) => locateMissing(context.tools, missing, scope),
    isStaged: (stageHash) => isStaged(context, stageHash),
    stage: (stageHash, files) => stage(context, stageHash, files),
    isPrepared: (stageHash) => isPrepared(context, stageHash),
    prepare: (stageHash, commands, watching) => prepare({ context, setups }, { stageHash, commands }, watching),
    findPythons: (version) => findPythons(context, version),
    launch: (spec) => launch(context, spec),
    inspect: async (run) => (await inspectAttempt(context, run)).state,
    follow: (run, from, signal) => follow(follower, run, { from, signal }),
    kill: (run, fence) => kill(context, run, fence),
    collect: (run, wanted) => collect(context, run, wanted),
    converse: (spec) => converse(context, spec),
    remove: (run) => remove(context, run),
    sweep: (request) => sweep(context, request),
    countSpared: (request) => countSpared(context, request),
    clean: (request) => clean(context, request),
    secondsSinceAnswer: () => context.link.connection.secondsSinceAnswer(),
    idleSeconds: () => context.link.connection.idleSeconds(),
    close,
  };
}

function createContext(options: SshOptions) {
  const { installation, path = SYSTEM_PATH, patienceSeconds = 20, aliveSeconds = 5, readable = [] } = options;
  const { keepDays = 14, cacheGb = 50 } = options;
  const host = options.host ?? options.address;
  const connect = async () => {
    if (options.unreachableReason !== undefined) throw new HostConfigError(host, options.unreachableReason);
    if (options.localEnvironment !== undefined) return openLocalLogin(options.localEnvironment);
    try {
      return await connectThrough(host, { targets: await resolveTargets(host, options), aliveMs: aliveSeconds * 1000 });
    } catch (error) {
      // This worker cannot read or write one of its own files: a key, or known_hosts.
      throw isSystemError(error) ? new HostConfigError(host, error.message, { cause: error }) : error;
    }
  };
  const connection = keepConnection(host, connect, patienceSeconds * 1000);
  const scratch = options.scratch ?? '~/.perpetua-host';
  const link = linkTo(connection, { host, installation, scratch, shell: options.shell });
  const readPathInfo = createPathInfoReader(link);
  const { confinement, forget } = cacheConfinement((sandbox) => probe(link, sandbox));
  const hidden = new Set<string>();
  const isRoot = async (): Promise<boolean> => (await link.facts()).isRoot;
  const hide = async (): Promise<string[]> => [(await link.facts()).layout.home, ...hidden];
  const tools: ToolHost = {
    host,
    path,
    isRoot,
    confinement,
    readPathInfo,
    runTools: (words) => runToolsOnHost(link, words),
    masked: hide,
    ownHome: async () => [(await link.facts()).layout.home],
    taskProgramFolders: async () => [],
  };
  const context: SshContext = {
    link,
    host,
    installation,
    remote: true,
    path,
    readPathInfo,
    tools,
    staged: new Map(),
    keepLimits: [Math.ceil(keepDays * 86_400), Math.ceil((cacheGb * 1e9) / 1024)],
    isRoot,
    confinement,
    show: async () => {
      const entries = entriesOfPath(path);
      const infos = await readPathInfo(entries);
      const existing = new Set(entries.filter((_, index) => infos[index]?.real !== undefined));
      return [...foldersOfPath(path, (entry) => existing.has(entry)), ...readable];
    },
    hide,
  };
  const close = (): void => connection.close();
  return { context, hidden, forget, follower: createFollower(link, options), close };
}

/** Runs a function of tools.sh on the host, and returns the lines that it printed. */
async function runToolsOnHost(link: Link, words: string[]): Promise<string[]> {
  const frames = await link.call({ verb: 'tools', words });
  const printed = frames.find(({ type }) => type === 'tools')?.payload.toString('utf8') ?? '';
  return printed.split('\n').filter((line) => line !== '');
}

async function* follow(
  follower: Follower,
  run: RunRef,
  { from, signal }: { from: number | Offsets; signal: AbortSignal },
): AsyncGenerator<FollowEvent> {
  for await (const report of follower.follow(runName(run), from, signal)) {
    if (report.type !== 'ended') {
      yield report;
      continue;
    }
    const end = endOfFrame(report.frame);
    // A full disk may have truncated the end: then the run is lost.
    yield end ? { type: 'ended', end } : { type: 'lost' };
  }
}

/** True for an error of a system call, but not for too many open files, which passes. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error &&
  'syscall' in error &&
  !['EMFILE', 'ENFILE'].includes(String((error as NodeJS.ErrnoException).code));
