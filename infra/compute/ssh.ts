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
import { protections } from './run-protocol/confine.ts';
import { locateMissing } from './tools/locate-missing.ts';
import { createMissingToolsCheck } from './tools/missing-tools.ts';
import type { ToolHost } from './tools/tool-host.ts';
import { entriesOfPath, foldersOfPath } from './run-protocol/environment.ts';
import { cacheConfinement } from './run-protocol/confinement-cache.ts';
import { runName } from './run-protocol/paths.ts';
import { SYSTEM_FOLDERS } from './run-protocol/spec.ts';

export interface SshOptions extends SshAddress {
  /** The installation's uuid; two on one host never meet. */
  installation: string;
  /** Names the host in the database; default: its address. */
  host?: string;
  /** Folder on the host, "~" is its user's home; default: ~/.perpetua-host. Never visible in a sandbox. */
  scratch?: string;
  /** PATH of the runs; default: the system's. Its folders are shown read-only in the sandbox. */
  path?: string;
  /** Further folders of the host that sandboxed runs may read. */
  readable?: string[];
  /** Days after which run directories that nobody asked for are removed there by the next run; default: 14. */
  keepDays?: number;
  /** Size of all workspaces there above which those used longest ago are removed, in GB of 10⁹ bytes; default: 50. */
  cacheGb?: number;
  /** How long a host that does not answer is tried again before an error says so; default: 20. */
  patienceSeconds?: number;
  /** Seconds between two signs of life; a connection is over after three without an answer; default: 5. */
  aliveSeconds?: number;
  /** Seconds without a report of runs after which their channel is given up for another; default: 60. */
  silenceSeconds?: number;
  /** What interprets our script there; default: /bin/sh. */
  shell?: string;
  /** Of a host that is this very machine: the environment of our script, which is started without SSH. */
  localEnvironment?: Readonly<Record<string, string>>;
  /** Of a host that cannot be reached from here: why. */
  unreachableReason?: string;
}

/** A host that is reached by SSH. */
export interface SshCompute extends Compute {
  /** Whether one of these runs was begun on this very machine: then it is the same one, wherever it is found. */
  hasAnyRun(runs: readonly RunRef[]): Promise<boolean>;
  /** What the host has: cores, memory, room, GPUs. */
  machine(): Promise<Machine>;
  /** Throws a host error where a folder that its runs are to read is not there: no sandbox can be built without. */
  requireReadable(): Promise<void>;
  /** Ends what runs that are over left on its GPUs, as a look found it. */
  killGpuLeftovers(found: Pick<Machine, 'boot' | 'uses'>): Promise<void>;
  /** How many run directories such a sweep leaves alone, and why. */
  countSpared(options: { keep: RunRef[]; olderThanSeconds: number }): Promise<Spared>;
  /** Sweeps, then removes workspaces that nothing needs where all together are larger than `cacheGb`; with `dryRun` only says which. */
  clean(options: Sweep): Promise<Cleaned>;
  /** Seconds since the host answered anything, to this process; null where it never did. */
  heardSecondsAgo(): number | null;
  /** Seconds since anybody used its connection last; 0 while somebody does. */
  idleSeconds(): number;
  /** Ends the connection; runs go on. */
  close(): void;
}

/** A machine that is reached by SSH, or this one with its GPUs, as a host: the same runs under the same supervisor as on this one. */
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
    // A folder of this machine; it matters where the host is this very machine, or has the same files.
    hide: async (folder) => void (SYSTEM_FOLDERS.includes(folder) || hidden.add(folder)),
    missingTools: createMissingToolsCheck(context.tools),
    locateMissing: (missing, of) => locateMissing(context.tools, missing, of),
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
    sweep: (what) => sweep(context, what),
    countSpared: (by) => countSpared(context, by),
    clean: (what) => clean(context, what),
    heardSecondsAgo: () => context.link.connection.heardSecondsAgo(),
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
      // A file of ours that cannot be read or written: a key, known_hosts.
      throw isSystemError(error) ? new HostConfigError(host, error.message, { cause: error }) : error;
    }
  };
  const connection = keepConnection(host, connect, patienceSeconds * 1000);
  const scratch = options.scratch ?? '~/.perpetua-host';
  const link = linkTo(connection, { host, installation, scratch, shell: options.shell });
  const look = createPathInfoReader(link);
  const { confinement, forget } = cacheConfinement((sandbox) => probe(link, sandbox));
  const hidden = new Set<string>();
  const isRoot = async (): Promise<boolean> => (await link.facts()).isRoot;
  const hide = async (): Promise<string[]> => [(await link.facts()).layout.home, ...hidden];
  const tools: ToolHost = {
    ...{ host, path, isRoot, confinement, readPathInfo: look },
    runTools: (words) => askThere(link, words),
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
    readPathInfo: look,
    tools,
    staged: new Map(),
    keep: [Math.ceil(keepDays * 86_400), Math.ceil((cacheGb * 1e9) / 1024)],
    isRoot,
    confinement,
    show: async () => {
      const entries = entriesOfPath(path);
      const places = await look(entries);
      const there = new Set(entries.filter((_, index) => places[index]?.real !== undefined));
      return [...foldersOfPath(path, (entry) => there.has(entry)), ...readable];
    },
    hide,
  };
  const close = (): void => connection.close();
  return { context, hidden, forget, follower: createFollower(link, options), close };
}

/** The lines that a function of tools.sh prints on the host. */
async function askThere(link: Link, words: string[]): Promise<string[]> {
  const frames = await link.call({ verb: 'tools', words });
  const printed = frames.find(({ type }) => type === 'tools')?.payload.toString('utf8') ?? '';
  return printed.split('\n').filter((line) => line !== '');
}

async function* follow(
  follower: Follower,
  run: RunRef,
  { from, signal }: { from: number | Offsets; signal: AbortSignal },
): AsyncGenerator<FollowEvent> {
  for await (const heard of follower.follow(runName(run), from, signal)) {
    if (heard.type !== 'ended') {
      yield heard;
      continue;
    }
    const end = endOfFrame(heard.frame);
    // Cut words of a full disk are no end.
    yield end ? { type: 'ended', end } : { type: 'lost' };
  }
}

/** Not of a moment in which this process has too much open. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error &&
  'syscall' in error &&
  !['EMFILE', 'ENFILE'].includes(String((error as NodeJS.ErrnoException).code));
