import type { ChildProcess } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { SandboxMissingError } from '../../../domain/fault/sandbox-missing.ts';
import { evaluatorMemoryMb } from '../../../domain/job/evaluator-memory.ts';
import { shellQuote } from '../../../domain/text/shell-quote.ts';
import type { RunLimits } from '../../../domain/job/run-limits.ts';
import type { FileContent, RunEnd } from '../../compute.ts';
import { readOptional } from '../../files.ts';
import type { Confinement } from '../run-protocol/confinement/confinement.ts';
import { EVALUATOR_UID, foldersOfPath } from '../run-protocol/environment.ts';
import { foldersToShow } from '../tools/folders-to-show.ts';
import { changeOwner } from './attempt/change-owner.ts';
import { readEnd } from './attempt/read-end.ts';
import type { LocalContext } from './context.ts';
import { localSandboxMounts } from './hide-folder.ts';
import { pythonOf } from './python.ts';
import { startSupervisor, writeControl } from './supervise.ts';

/** Descriptor of the supervisor on which the evaluator's result arrives; the evaluator itself has it on 3. */
export const SUPERVISOR_RESULT_FD = 6;
/** Seconds from TERM to KILL. */
const GRACE_SECONDS = 2;
/** Resources of an evaluator. They are generous: they protect the machine from the code of an artefact. */
const evaluatorLimits = (places: number) => ({
  memoryMb: evaluatorMemoryMb({ totalBytes: totalmem(), limitBytes: process.constrainedMemory(), places }),
  processes: 1024,
  diskMb: 16_384,
  files: 1_000_000,
});

export type EvaluatorLimits = ReturnType<typeof evaluatorLimits>;
/** Variables of the evaluator that no other user of the machine may read in a command line. */
const PRIVATE = ['PERPETUA_TASK_SECRET', 'PERPETUA_SEED'];

/** An evaluator and the folder in which it runs. */
export interface SandboxedEvaluator {
  /** Folder that holds the evaluator's folders, by {@link foldersIn}. */
  directory: string;
  command: string;
  env: Record<string, string>;
  /** Entries of its PATH that the sandbox shows. */
  path: readonly string[];
  /** Further folders that it may read. */
  readable: readonly string[];
  /** True: it shares the network of this machine. */
  network: boolean;
  /** True: it sees the GPUs of this machine. */
  gpu: boolean;
  /** Its files and artefacts, which do not count as its use of the disk. */
  laid: readonly FileContent[];
  /** Limits below those of the sandbox. */
  limits?: Partial<EvaluatorLimits>;
}

/** A started supervisor of an evaluator. */
export interface StartedEvaluator {
  process: ChildProcess;
  /** Reads the end when the supervisor has exited; the text is its own message, for an end that is missing. */
  readEnd: () => Promise<{ end: RunEnd | undefined; message: string }>;
}

/** Sandboxes for evaluators. */
export interface EvaluatorSandbox {
  limits: EvaluatorLimits;
  /** True if this machine gives a sandbox. */
  isAvailable: () => Promise<boolean>;
  /**
   * Starts an evaluator with pipes on 0, 1 and 2, a lifeline on 3, and its result on SUPERVISOR_RESULT_FD. Throws
   * SandboxMissingError.
   */
  start: (evaluator: SandboxedEvaluator) => Promise<StartedEvaluator>;
  /** Drops the cached confinement, so that the next evaluation probes it again. */
  forget: () => void;
}

/** The folders of an evaluation. */
export const foldersIn = (directory: string) => ({
  control: join(directory, 'ctl'),
  work: join(directory, 'work'),
  tmp: join(directory, 'tmp'),
  root: join(directory, 'root'),
});

/** Makes sandboxes for evaluators, of which `places` run at once and share the memory of this machine. */
export function evaluatorSandbox(
  context: LocalContext,
  { forget, places }: { forget: () => void; places: number },
): EvaluatorSandbox {
  const limits = evaluatorLimits(places);
  return {
    limits,
    isAvailable: async () => (await context.confinement(true)).sandboxed,
    start: (evaluator) => start(context, evaluator, limits),
    forget,
  };
}

async function start(
  context: LocalContext,
  evaluator: SandboxedEvaluator,
  limits: EvaluatorLimits,
): Promise<StartedEvaluator> {
  const found = await context.confinement(true);
  // The result may be of a later probe than that of `isAvailable`.
  if (!found.sandboxed) throw new SandboxMissingError();
  const confinement = evaluator.network ? withNetwork(found) : found;
  const uid = confinement.ownUid ? EVALUATOR_UID : null;
  const { control, work, tmp, root } = foldersIn(evaluator.directory);
  for (const folder of [tmp, root]) await mkdir(folder, { mode: 0o700 });
  const { command, env } = await hidePrivate(evaluator, tmp);
  if (uid !== null) await Promise.all([changeOwner(work, uid), changeOwner(tmp, uid)]);
  const supervisor = await context.supervisor();
  await writeControl(control, {
    control,
    work,
    tmp,
    root,
    fence: 0,
    talk: true,
    evaluator: { gpus: evaluator.gpu },
    command,
    env,
    limits: { ...UNLIMITED, ...limits, ...evaluator.limits },
    laid: evaluator.laid,
    confinement,
    uid,
    ...(await localSandboxMounts(context, await shownFolders(context, evaluator))),
    supervisor,
  });
  const started = await startSupervisor(supervisor, control, { talk: true, resultFd: SUPERVISOR_RESULT_FD });
  return {
    process: started.process,
    readEnd: async () => ({
      end: await readEnd(control),
      message: ((await readOptional(join(control, 'failed'))) ?? '').trim(),
    }),
  };
}

/** Limits of runs that evaluators do not have. */
const UNLIMITED: Omit<RunLimits, keyof EvaluatorLimits> = {
  wallSeconds: null,
  cpuSeconds: null,
  graceSeconds: GRACE_SECONDS,
  outputBytes: 0,
};

/** The same confinement without a network of its own. */
const withNetwork = (confinement: Confinement): Confinement => ({
  ...confinement,
  namespaces: confinement.namespaces.replace(' --net', ''),
});

/** Moves the private variables into a file that the evaluator's shell reads before the command. */
async function hidePrivate(
  { command, env }: SandboxedEvaluator,
  tmp: string,
): Promise<{ command: string; env: Record<string, string> }> {
  const isPrivate = ([name]: [string, string]): boolean => PRIVATE.includes(name);
  const pairs = Object.entries(env);
  const lines = pairs.filter(isPrivate).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  await writeFile(join(tmp, '.env'), lines.join(''), { mode: 0o600 });
  return {
    command: `. /tmp/.env\n${command}`,
    env: Object.fromEntries(pairs.filter((pair) => !isPrivate(pair))),
  };
}

/** Folders that the sandbox shows besides the system's: of programs, and those that the task names. */
async function shownFolders(context: LocalContext, { path, readable, network }: SandboxedEvaluator): Promise<string[]> {
  const { stages } = context.layout;
  // A Python environment lies in the home, which is hidden otherwise.
  const environments = path.flatMap((entry) => /^(env[^/]+)\//.exec(relative(stages, entry))?.[1] ?? []);
  const pythons = await Promise.all(environments.map((name) => pythonOf(context, name)));
  const others = path.filter((entry) => relative(stages, entry).startsWith('..'));
  return [
    ...foldersOfPath(dirname(process.execPath)),
    ...(await foldersToShow(context.tools, { path: others, readable: [...readable] })),
    ...pythons.flatMap((python) => python?.show ?? []),
    ...(network ? await nameServerFolders() : []),
  ];
}

/** The folder of /etc/resolv.conf if that is a link out of /etc. */
async function nameServerFolders(): Promise<string[]> {
  const real = await realpath('/etc/resolv.conf').catch(() => '/etc/resolv.conf');
  return real.startsWith('/etc/') ? [] : [dirname(real)];
}
