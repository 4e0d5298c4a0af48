import { isAbsolute } from 'node:path';
import { runLimits } from '../../../domain/job/run-limits.ts';
import { outcomeOfEnd } from '../../../domain/trial/outcome.ts';
import { describeRunEnd } from '../../../domain/job/describe-run-end.ts';
import type { FileRoles } from '../../../domain/source/assign-files.ts';
import { summarizePaths } from '../../../domain/text/summarize-paths.ts';
import { formatSeconds } from '../../../domain/text/format.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { adviceFor } from '../../../domain/tools/advice.ts';
import { findMissingTool, isOfPath } from '../../../domain/tools/find-missing-tool.ts';
import { needsOf } from '../../../domain/tools/needs.ts';
import { CannotShowError, type Collected, type Compute, type RunRef, type RunSpec } from '../../../infra/compute.ts';
import { runToEnd } from '../../../infra/compute/run-to-end.ts';
import { MOST_UIDS } from '../../../infra/compute/run-protocol/environment.ts';
import type { LoadedTask } from '../../../tasks/load.ts';
import { configOf } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { printNote, type Io } from '../../io.ts';
import { FENCE, openTryHost, type TryHost } from './open-try-host.ts';
import type { ProgramRun } from '../run-program-once.ts';

/** Characters of the log's end that an error shows. */
const TAIL = 2000;

interface Trial {
  loaded: LoadedTask;
  /** Folder of the program itself, which no run sees. */
  root: string;
  folder: string;
  roles: FileRoles;
  /** Stage of the task's Python on this machine; null if the task has none. */
  environment: string | null;
  /** The run outside of the sandbox; null if there was none. */
  tried: EndedRun | null;
}

/** A run to score. In the sandbox, the written files are the artefacts of the task. */
export type EndedRun = Pick<ProgramRun, 'seconds' | 'stdout' | 'writtenFiles'>;

/**
 * Runs the unmodified workspace once as candidates run: in the sandbox, with the task's files, programs and limits.
 * If this user cannot make runs in Perpetua's home, returns the earlier run. Throws CliError if the run fails, or if
 * there is no run at all.
 */
export async function tryInSandbox(io: Io, trial: Trial): Promise<EndedRun> {
  const { home } = configOf(io);
  let host: TryHost;
  try {
    host = await openTryHost(io, home);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (trial.tried === null)
      throw failed(
        trial,
        `this user cannot make runs in ${home} (${why}). ` +
          'Set PERPETUA_HOME to a folder of yours, or leave out --budget to try the program without a sandbox',
      );
    printNote(io, `note: the program was not tried in the sandbox, since ${home} is not this user's (${why})`);
    return trial.tried;
  }
  try {
    return await tryOn(host, io, trial);
  } finally {
    await host.close();
  }
}

async function tryOn(host: TryHost, io: Io, trial: Trial): Promise<EndedRun> {
  const { compute } = host;
  const times = trial.tried === null ? 'once' : 'once more';
  printNote(io, `running it ${times}, as candidates will run: in the sandbox, without the files that runs do not get`);
  const missing = await compute.missingTools(needsOf(trial.loaded.task));
  if (missing.length > 0) throw failed(trial, missing.join('\n'));
  const ended = await runOnce(host, trial, io.signal ?? new AbortController().signal).catch((error: unknown) => {
    throw error instanceof CannotShowError ? failed(trial, error.message) : error;
  });
  const problem = problemOf(ended);
  if (problem !== null) {
    const log = ended.logTail.slice(-TAIL).trim();
    const advice = await adviceOn(io, { compute, trial, ended });
    throw failed(trial, [problem, log, advice].filter(Boolean).join('\n'));
  }
  const { end } = ended;
  const where = end.sandboxed ? '' : ' (this machine has no sandbox: npx perpetua doctor)';
  printNote(io, `  that run took ${formatSeconds(end.wallSeconds)}${where}`);
  return { seconds: end.wallSeconds, stdout: ended.stdoutTail ?? ended.logTail, writtenFiles: ended.artefacts };
}

async function runOnce({ compute, run }: TryHost, trial: Trial, signal: AbortSignal): Promise<Collected> {
  const { task, workspace, mutablePaths } = trial.loaded;
  const artefacts = task.run.artefacts.map(({ path, maxMb }) => ({ path, maxBytes: maxMb * 1024 * 1024 }));
  const ended = await runToEnd(compute, specOf(run, trial), {
    stage: workspace.filter(({ path }) => !mutablePaths.includes(path)),
    wanted: { artefacts, stdout: true },
    signal,
  });
  // A run that ended before Ctrl-C counts as stopped, too: nothing may start.
  if (ended === 'stopped' || signal.aborted) throw new CliError('failed', 'Stopped by Ctrl-C; the run is cancelled.');
  if (ended === 'lost') throw failed(trial, 'the run was lost: its supervisor ended before it');
  return ended;
}

function specOf(ref: RunRef, { loaded, environment }: Trial): RunSpec {
  const { task, workspace, mutablePaths, stageHash } = loaded;
  const { run } = task;
  return {
    ...ref,
    fence: FENCE,
    // The last index, so that no run of a real slot shares its uid.
    slot: { id: 'source', pool: 'local', index: MOST_UIDS - 1, gpu: null },
    stageHash,
    ...(environment === null ? {} : { environment }),
    files: workspace.filter(({ path }) => mutablePaths.includes(path)),
    command: run.command,
    apart: true,
    env: { ...run.env, PERPETUA_SEED: '1', PERPETUA_BUDGET_SECONDS: String(run.budget.seconds) },
    path: run.path,
    readable: run.readable,
    limits: runLimits(task),
    sandbox: 'preferred',
  };
}

/** The reason why a run would not count, in words; null if it ended well. */
function problemOf({ end, changed, missing, tooLarge }: Collected): string | null {
  if (end.reason === 'exit' && end.exitCode !== 0) return `it ${describeRunEnd(end)}`;
  // Names the key of the limit.
  const bad = outcomeOfEnd(end, null, { crash: '', cpuLimit: null });
  if (bad !== undefined) return `it was ${bad.failure.message}`;
  if (changed.length > 0)
    return (
      `it changed files that only --mutable allows to change: ${summarizePaths(changed)}. ` +
      'If an earlier run left them, delete them in the program'
    );
  if (missing.length > 0) return `it did not write ${summarizePaths(missing)}, which the evaluation scores`;
  if (tooLarge.length > 0) return `it wrote files larger than run.artefacts allows: ${summarizePaths(tooLarge)}`;
  return null;
}

/** Advice about a program, module or file that the run did not find; null if there is none. */
async function adviceOn(
  io: Io,
  { compute, trial, ended }: { compute: Compute; trial: Trial; ended: Collected },
): Promise<string | null> {
  const { run, environment } = trial.loaded.task;
  const missing = findMissingTool({ exitCode: ended.end.exitCode, log: ended.logTail });
  if (missing === null) return null;
  if (missing.kind === 'file' && !isOfPath(missing) && missing.name.startsWith(`${trial.root}/`))
    return `Runs do not see ${trial.root}. Use a path relative to it: ${missing.name.slice(trial.root.length + 1)}`;
  const beside = (configOf(io).env.PATH ?? '').split(':').filter(isAbsolute);
  const finding = await compute.locateMissing(missing, { path: run.path, beside });
  const { path, readable } = run;
  return adviceFor(missing, finding, { path, readable, lock: environment?.lock ?? null, machine: 'this machine' });
}

/** The error of a program that runs, but not as candidates will. */
function failed({ folder, roles }: Trial, problem: string): CliError {
  const withheld = [...roles.evaluatorOnly, ...roles.unopened];
  const quoted = shellWord(folder);
  const files =
    withheld.length === 0
      ? ''
      : `\nRuns do not get ${summarizePaths(withheld)}. If a run needs one of them: --run-files PATH`;
  return new CliError(
    'failed',
    `Expected the unmodified program to run as candidates will, in the sandbox; ${problem}${files}\n` +
      `Nothing was started. Correct ${quoted}, then: npx perpetua check ${quoted}\n` +
      `Or remove ${quoted}, and run the same command again with other options.`,
  );
}
