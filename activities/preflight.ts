import { checkFiles } from '../domain/preflight/check-files.ts';
import { type Check, commandsOf } from '../domain/preflight/commands-of.ts';
import type { Preflight } from '../domain/schema/preflight.ts';
import type { Failure, TrialEnded } from '../domain/trial.ts';
import type { TaskVersion } from '../db/task/task-version.ts';
import type { Research } from '../db/research/research.ts';
import type { FileContent } from '../infra/compute.ts';
import type { ActivityDeps } from './deps.ts';
import { settle } from './outcome/settle.ts';
import { mutableFiles } from './run/run-spec.ts';
import { prepareEvaluatorPath } from './task/prepare-evaluator-path.ts';
import { withHeartbeat } from './with-heartbeat.ts';

/** Limits of each command. */
const LIMITS = { timeoutSeconds: 10, memoryMb: 256 } as const;
/** Characters of a command's output in the failure's message. */
const LONGEST_OUTPUT = 800;

const EMPTY = { value: null, metrics: {}, evaluatorNotes: null, trusted: true };

/** `ready`: the candidate may take a slot. `ended`: the trial has its outcome (rejected). */
export type PreflightResult = { state: 'ready' } | { state: 'ended'; ended: TrialEnded };

export const createPreflightActivities = (deps: ActivityDeps) => ({
  /**
   * Checks a trial's candidate before it takes a slot, and ends the trial if it fails. Safe to repeat. The trial of
   * `perpetua check` ends, too, if the machine lacks a program of the checks: a person reads why.
   */
  preflight: async ({ trialId }: { trialId: string }): Promise<PreflightResult> =>
    withHeartbeat(async (signal) => {
      const { trial, research } = await deps.store.trial.loadTrialAndResearch(trialId);
      const { candidateId } = trial;
      if (candidateId === null) throw new Error(`Expected trial ${trialId} to have a candidate`);
      const version = await deps.store.task.loadTaskVersion(trial.taskHash);
      const { preflight } = version.task;
      if (trial.status === null && preflight !== undefined && !(await hasStarted(deps, trialId))) {
        const isOriginal = trial.kind === 'baseline';
        const failure = await failureOf({ deps, version, preflight, signal }, { candidateId, research, isOriginal });
        if (failure !== null)
          await settle(deps.store, { ...EMPTY, trialId, researchId: trial.researchId, status: 'rejected', failure });
      }
      const [ended] = await deps.store.trial.findOutcomes({ researchId: trial.researchId, ns: [trial.n] });
      return ended ? { state: 'ended', ended } : { state: 'ready' };
    }),
});

/** True if the trial holds a slot: it passed before its workflow was started again. */
const hasStarted = async ({ store }: ActivityDeps, trialId: string): Promise<boolean> =>
  (await store.slot.findLease(trialId)) !== undefined;

interface Checking {
  deps: ActivityDeps;
  version: TaskVersion;
  preflight: Preflight;
  signal: AbortSignal;
}

async function failureOf(
  checking: Checking,
  { candidateId, research, isOriginal }: { candidateId: string; research: Research; isOriginal: boolean },
): Promise<Failure | null> {
  const { deps, preflight } = checking;
  const { id: researchId, baselineCandidate } = research;
  const files = await loadMutableFiles(checking, candidateId);
  const failure = checkFiles(textsOf(files), preflight);
  if (failure !== null) return failure;
  for (const check of commandsOf(preflight, pathsOf(files))) {
    const problem = await problemOf(checking, { check, files });
    if (problem === null) continue;
    const failed: Failure = {
      label: 'preflight-failed',
      message: `expected the files to pass ${check.name}; it ${problem}`,
    };
    if (isOriginal) return failed;
    // A program that this machine lacks fails every candidate, which says nothing about this one.
    const original = await loadMutableFiles(checking, baselineCandidate);
    // The same check of the original's own files: the candidate may have others.
    const same = commandsOf(preflight, pathsOf(original)).find(({ name }) => name === check.name);
    const reference = same ?? { ...check, command: check.program ?? check.command };
    const ofReference = await problemOf(checking, { check: reference, files: original });
    if (ofReference !== null) {
      const expected = same === undefined ? `${reference.command} to work for` : 'the unmodified version to pass';
      const message = `preflight: expected ${expected} ${check.name}; it ${ofReference}`;
      await deps.store.research.insertAlert({ researchId, message, once: true });
      throw new Error(message);
    }
    return failed;
  }
  return null;
}

/** The fault that a check finds in a candidate's files, as a clause with the end of its output; null if they pass. */
async function problemOf(
  { deps, version, signal }: Checking,
  { check, files }: { check: Check; files: FileContent[] },
): Promise<string | null> {
  const { problem, log } = await deps.scoring.evaluator.check(
    {
      files: await laidFiles(deps, version, files),
      command: check.command,
      path: await prepareEvaluatorPath(deps, version, signal),
      ...LIMITS,
    },
    signal,
  );
  if (problem === null) return null;
  return log === '' ? problem : `${problem}: ${log.slice(-LONGEST_OUTPUT)}`;
}

/** The workspace of the task with mutable files as its runs have them. */
async function laidFiles(
  { store }: ActivityDeps,
  { hash, mutablePaths }: TaskVersion,
  files: FileContent[],
): Promise<FileContent[]> {
  const workspace = await store.task.loadTaskFiles({ taskHash: hash, role: 'workspace' });
  return [...workspace.filter(({ path }) => !mutablePaths.includes(path)), ...files];
}

/** The mutable files of a candidate's runs. */
async function loadMutableFiles(
  { deps: { store }, version }: Pick<Checking, 'deps' | 'version'>,
  candidateId: string,
): Promise<FileContent[]> {
  const [originals, { files, deleted }] = await Promise.all([
    store.task.loadOriginals(version.hash),
    store.trial.loadCandidate(candidateId),
  ]);
  return mutableFiles(originals, files, deleted);
}

const pathsOf = (files: readonly FileContent[]): string[] => files.map(({ path }) => path);

function textsOf(files: readonly FileContent[]): Record<string, string> {
  const decoder = new TextDecoder();
  return Object.fromEntries(files.map(({ path, content }) => [path, decoder.decode(content)]));
}
