import { checkFiles } from '../domain/preflight/check-files.ts';
import { type Check, commandsOf } from '../domain/preflight/commands-of.ts';
import type { Preflight } from '../domain/schema/preflight.ts';
import type { Failure, TrialEnded } from '../domain/trial.ts';
import type { TaskVersion } from '../db/task/task-version.ts';
import type { Research } from '../db/research/research.ts';
import type { FileContent } from '../infra/compute.ts';
import type { ActivityDeps } from './deps.ts';
import { settle } from './outcome/settle.ts';
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
  /** Checks a trial's candidate before it takes a slot, and ends the trial if it fails. Safe to repeat. */
  preflight: async ({ trialId }: { trialId: string }): Promise<PreflightResult> =>
    withHeartbeat(async (signal) => {
      const { trial, research } = await deps.store.trial.loadTrialAndResearch(trialId);
      const { candidateId } = trial;
      if (candidateId === null) throw new Error(`Expected trial ${trialId} to have a candidate`);
      const version = await deps.store.task.loadTaskVersion(trial.taskHash);
      const { preflight } = version.task;
      if (trial.status === null && preflight !== undefined && !(await hasStarted(deps, trialId))) {
        const failure = await failureOf({ deps, version, preflight, signal }, { candidateId, research });
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
  { candidateId, research }: { candidateId: string; research: Research },
): Promise<Failure | null> {
  const { deps, preflight } = checking;
  const { id: researchId, baselineCandidate } = research;
  const files = await deps.store.trial.loadCandidateFiles(candidateId);
  const failure = checkFiles(files, preflight);
  if (failure !== null) return failure;
  for (const check of commandsOf(preflight, Object.keys(files))) {
    const problem = await problemOf(checking, { check, files });
    if (problem === null) continue;
    // A program that this machine lacks fails every candidate, which says nothing about this one.
    const ofBaseline = await problemOf(checking, {
      check,
      files: await deps.store.trial.loadCandidateFiles(baselineCandidate),
    });
    if (ofBaseline !== null) {
      const message = `preflight: expected the unmodified version to pass ${check.name}; it ${ofBaseline}`;
      await deps.store.research.insertAlert({ researchId, message, once: true });
      throw new Error(message);
    }
    return { label: 'preflight-failed', message: `expected the files to pass ${check.name}; it ${problem}` };
  }
  return null;
}

/** The fault that a check finds in a candidate's files, as a clause with the end of its output; null if they pass. */
async function problemOf(
  { deps, version, signal }: Checking,
  { check, files }: { check: Check; files: Record<string, string> },
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

/** The workspace of the task with a candidate's files. */
async function laidFiles(
  { store }: ActivityDeps,
  { hash, mutablePaths }: TaskVersion,
  files: Record<string, string>,
): Promise<FileContent[]> {
  const workspace = await store.task.loadTaskFiles({ taskHash: hash, role: 'workspace' });
  const encoder = new TextEncoder();
  return [
    ...workspace.filter(({ path }) => !mutablePaths.includes(path)),
    ...Object.entries(files).map(([path, text]) => ({ path, content: encoder.encode(text) })),
  ];
}
