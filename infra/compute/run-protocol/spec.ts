import { foldersOf } from '../../../domain/text/folders-of.ts';
import { shellQuote } from '../../../domain/text/shell-quote.ts';
import { backstopSeconds, type RunLimits } from '../../../domain/job/run-limits.ts';
import type { FileContent } from '../../compute.ts';
import type { Confinement } from './confinement/confinement.ts';
import { processMark } from './process-mark.ts';

/** Input of the supervisor for one run; paths are absolute. */
export interface SupervisedRun {
  control: string;
  work: string;
  tmp: string;
  /** Short path of a link to `tmp`, which becomes TMPDIR; undefined in a sandbox and for a probe. */
  short?: string | undefined;
  root: string;
  fence: number;
  /** True for a conversation, whose stdin and stdout are the caller's. */
  talk: boolean;
  /** Set for an evaluator: a conversation that writes its folder, and its result to descriptor 3. */
  evaluator?: EvaluatorView | undefined;
  /** True if each stream has a file of its own, besides the file of both. */
  apart?: boolean | undefined;
  command: string;
  env: Record<string, string>;
  limits: RunLimits;
  /** Staged workspace, of which `work` is a copy. Its size does not count as the run's use of the disk. */
  staged?: string;
  /** Files that were laid over the workspace: not counted either. */
  laid?: readonly FileContent[] | undefined;
  confinement: Confinement;
  /** User of the run, who owns `work` and `tmp` already; null for the supervisor's own user. */
  uid: number | null;
  /** Folders that the sandbox shows, read-only. */
  show: string[];
  /** Paths inside the shown folders that the sandbox shows as empty folders. */
  hide: string[];
  supervisor: string;
  /** Command words of the shell that interprets the supervisor; default: /bin/sh. */
  shell?: string;
}

/** Parts of the machine that the sandbox shows to an evaluator. */
export interface EvaluatorView {
  gpus: boolean;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** System folders that every sandbox shows, if they exist; `build_root` in supervisor.sh mounts the same. */
export const SYSTEM_FOLDERS = ['usr', 'etc', 'opt', 'nix', 'gnu', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].map(
  (name) => `/${name}`,
);

/** True if a path lies in a folder that every sandbox shows. */
export const isSystemPath = (path: string): boolean =>
  SYSTEM_FOLDERS.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** Escapes a path for a line of fstab. */
const inTable = (path: string): string =>
  path.replace(/[\\ \t\n#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);

// Lines of fstab. Their order matters: /tmp first, the run's own folder last, the others from the outside in. So a
// shown folder inside a masked one is visible, and a masked folder inside a shown one is not.
function mounts(run: SupervisedRun): string {
  const at = (path: string): string => `${inTable(run.root)}${inTable(path)}`;
  const shown = (path: string) => ({
    path,
    line: `${inTable(path)} ${at(path)} none rbind,ro,nosuid,nodev,X-mount.mkdir 0 0`,
  });
  const masked = (path: string) => ({
    path,
    line: `tmpfs ${at(path)} tmpfs mode=755,size=64k,nosuid,nodev,X-mount.mkdir 0 0`,
  });
  const folders = [...run.show.map(shown), ...run.hide.map(masked)];
  // Read-only in a conversation: a program that is asked twice must not find files that it wrote the first time.
  const rights = run.talk && !run.evaluator ? 'ro,' : '';
  folders.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  const lines = [
    `${inTable(run.tmp)} ${inTable(run.root)}/tmp none bind,nosuid,nodev 0 0`,
    ...folders.map(({ line }) => line),
    `${inTable(run.work)} ${at(run.work)} none bind,${rights}nosuid,nodev,X-mount.mkdir 0 0`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Name of the user of a run that has a user or a list of users of its own. */
const LOGIN = 'perpetua';
/** Home of a user whose variable HOME does not fit into a line of /etc/passwd. */
const ANY_HOME = '/tmp';

/** Name of the run's user; empty: that of the supervisor's user, which the supervisor reads. */
const loginOf = ({ sandboxed, ownUid }: Confinement): string => (sandboxed || ownUid ? LOGIN : '');

/** Home of the run's user, as /etc/passwd states it. */
function homeOf({ env }: SupervisedRun): string {
  const home = env.HOME ?? ANY_HOME;
  return /[:\n]/.test(home) ? ANY_HOME : home;
}

/** Words that name the run's user. A name that the task gave stays, and names the user in both variables. */
function namesOf({ env }: SupervisedRun): string[] {
  const given = env.USER ?? env.LOGNAME;
  return ['USER', 'LOGNAME']
    .filter((name) => env[name] === undefined)
    .map((name) => (given === undefined ? `"${name}=$login"` : shellQuote(`${name}=${given}`)));
}

function command(run: SupervisedRun): string {
  const pairs = Object.entries(run.env).map(([name, value]) => {
    if (!NAME.test(name) || value.includes('\0'))
      throw new Error(`environment: expected a name like A_B1 and no NUL byte; got ${JSON.stringify(name)}`);
    // The supervisor sets the variable to `tmp` if it cannot make the link.
    return name === 'TMPDIR' && run.short !== undefined ? '"TMPDIR=$short"' : shellQuote(`${name}=${value}`);
  });
  const drop = run.confinement.drop(run.uid);
  // The command gets a session of its own: its `kill 0` must not reach the supervisor, which may have the same user.
  return [
    'exec',
    'setsid',
    ...drop,
    'env',
    '-i',
    ...pairs,
    ...namesOf(run),
    '/bin/sh',
    '-c',
    shellQuote(BEGIN),
    shellQuote(run.command),
    ...(run.evaluator ? ['3>&6', '6>&-'] : []),
  ].join(' ');
}

/** Last step before the command: reports on descriptor 5 that all earlier steps succeeded. */
const BEGIN = 'echo 1 >&5 2>/dev/null; exec /bin/sh -c "$0" 5>&-';

/** Sockets that a filter of system calls closes. In a sandbox, which has a network of its own, only vsock is left. */
function closedBy({ sandboxed, containment }: Confinement): '' | 'vsock' | 'network' {
  if (sandboxed) return 'vsock';
  return containment === 'uid' ? 'network' : '';
}

/** Size of a disk block in kilobytes. Most disks store a file in whole blocks. */
const BLOCK_KB = 4;

/** Disk use of files and their folders. Files and folders that the stage has, too, are counted twice. */
function sizeOf(files: readonly FileContent[]): { kilobytes: number; names: number } {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const blocks = files.map(({ content }) => Math.ceil(content.length / 1024 / BLOCK_KB));
  const kilobytes = BLOCK_KB * blocks.reduce((sum, count) => sum + count, folders.size);
  return { kilobytes, names: files.length + folders.size };
}

/** Seconds in hundredths, rounded up; at least 1. */
const centi = (seconds: number): number => Math.max(1, Math.ceil(seconds * 100));

/** The spec file of the supervisor: shell assignments and the function that becomes the candidate. */
export function renderSpec(run: SupervisedRun): string {
  const { limits, confinement } = run;
  if (run.command.includes('\0')) throw new Error('command: expected no NUL byte');
  // The kernel's limit counts threads, too. So it only backs up the supervisor's own count of processes.
  const kernelLimit = confinement.kernelCountsProcesses ? String(limits.processes * 16 + 128) : '';
  const laid = sizeOf(run.laid ?? []);
  const backstop = backstopSeconds(limits);
  const values: Record<string, string | number> = {
    self: run.supervisor,
    shell: run.shell ?? '/bin/sh',
    work: run.work,
    temporary: run.tmp,
    short: run.short ?? '',
    root: run.root,
    root_escaped: inTable(run.root),
    mounts: confinement.sandboxed ? mounts(run) : '',
    staged: run.staged ?? '',
    laid_kb: laid.kilobytes,
    laid_files: laid.names,
    fence: run.fence,
    talk: run.talk ? 1 : 0,
    apart: run.apart ? 1 : 0,
    containment: confinement.containment,
    namespaces: confinement.namespaces,
    sandbox: confinement.sandboxed ? 1 : 0,
    closes: closedBy(confinement),
    // The probe found the network closed: if the supervisor cannot close it now, the run is lost.
    sworn: confinement.networkClosed ? 1 : 0,
    uid: run.uid ?? '',
    login: loginOf(confinement),
    home: homeOf(run),
    mark: processMark(run.control),
    wall: limits.wallSeconds === null ? '' : centi(limits.wallSeconds),
    backstop: backstop === null ? '' : centi(backstop),
    cpu: limits.cpuSeconds === null ? '' : centi(limits.cpuSeconds),
    grace: centi(limits.graceSeconds),
    memory_kb: Math.ceil(limits.memoryMb * 1024),
    processes_limit: limits.processes,
    rlimit_processes: kernelLimit,
    output_bytes: Math.floor(limits.outputBytes),
    disk_kb: Math.ceil(limits.diskMb * 1024),
    files_limit: limits.files,
  };
  if (run.evaluator) Object.assign(values, { result: 1, gpus: run.evaluator.gpus ? 1 : 0 });
  const lines = Object.entries(values).map(([name, value]) => `${name}=${shellQuote(String(value))}`);
  return `${lines.join('\n')}\nrun_command() {\n  ${command(run)}\n}\n`;
}
