import type { Trial } from '../../db/trial/proposal.ts';
import type { Research } from '../../db/research/research.ts';
import type { Lease } from '../../db/slot/slots.ts';
import type { StoredFile, TaskVersion } from '../../db/task/task-version.ts';
import type { JobSpec } from '../../domain/job.ts';
import { shapeOf } from '../../domain/job/shape-of.ts';
import { mostCpuSeconds } from '../../domain/job/charge.ts';
import { choiceIn } from '../../domain/search/proposer/makers.ts';
import type { Task } from '../../domain/task/task.ts';
import { timeLimitOf } from '../../domain/job/time-limit.ts';
import type { FileContent, RunLimits, RunSpec } from '../../infra/compute.ts';
import { mostCpuOf } from './most-cpu.ts';
import { isPlatformVariable } from '../../domain/task/platform-variables.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';
import { stageOf } from '../task/task-stage.ts';
import { commandSandbox, sandboxOf } from '../task/sandbox-of.ts';

/** Hard limits of a run of a job of this task: a person's command is charged no CPU seconds, and a server has no limit of time. */
export function jobLimits(task: Task, spec: JobSpec): RunLimits {
  const limits = { ...limitsOf(task), cpuSeconds: null };
  return shapeOf(spec).serves ? { ...limits, wallSeconds: null } : limits;
}

/** Hard limits of a run of the unmodified version. */
export function limitsOf(task: Task): RunLimits & { wallSeconds: number } {
  const { run } = task;
  const { budget, resources } = run;
  return {
    wallSeconds: timeLimitOf(task),
    cpuSeconds: mostCpuSeconds(budget, null),
    graceSeconds: run.graceSeconds,
    memoryMb: resources.memoryMb,
    processes: resources.processes,
    outputBytes: Math.round(resources.outputMb * 1024 * 1024),
    diskMb: resources.diskMb,
    files: resources.files,
  };
}

type Deps = Pick<ActivityDeps, 'store'> &
  PickDeps<'machine', 'environment'> &
  PickDeps<'scoring', 'hmac'> &
  PickDeps<'hosts', 'coresOf' | 'envOf' | 'isOwnHost'>;

/** A placement of a job on the slot that it holds. */
export interface Placement {
  version: TaskVersion;
  lease: Lease;
  placement: number;
  /** The stage of the task's Python on that host; absent where it has none. */
  environment?: string | undefined;
}

/** Everything that a slot needs to run a trial. */
export async function runSpecOf(
  deps: Deps,
  from: Placement & {
    trial: Trial;
    research: Pick<Research, 'proposer' | 'settings'>;
    /** Another command than the task's run, to answer an evaluator. */
    command?: string;
  },
): Promise<RunSpec> {
  const { trial, research, version } = from;
  const { run, progress, metric } = version.task;
  if (!trial.candidateId) throw new Error(`Expected trial ${trial.id} to have a candidate before it runs`);
  const { researchId, candidateId } = trial;
  const [originals, own] = await Promise.all([
    deps.store.task.loadOriginals(version.hash),
    deps.store.trial.loadCandidateFiles(candidateId),
  ]);
  return {
    ...baseSpec(deps, { ...from, id: trial.id, seed: trial.seed }),
    files: mutableFiles(originals, own),
    command: from.command ?? run.command,
    limits: { ...limitsOf(version.task), cpuSeconds: await mostCpuOf(deps, trial, version.task) },
    ...(version.task.evaluator.type === 'interactive' ? { awaitsConversation: true } : {}),
    // Where nothing is read from its lines its log keeps their order.
    ...(progress !== undefined || metric.from === 'stdout' ? { apart: true } : {}),
    sandbox: await sandboxOf(deps.store, version.task, { proposer: choiceIn(research), researchId, candidateId }),
  };
}

/**
 * All mutable files of a run, which its stage lacks: a candidate's over the originals of its task, with their mode. A candidate
 * of an older version lacks what was not mutable then.
 */
export function mutableFiles(
  originals: readonly StoredFile[],
  candidate: Readonly<Record<string, string>>,
): FileContent[] {
  const own = Object.entries(candidate).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) }));
  const kept = originals.filter(({ path }) => !Object.hasOwn(candidate, path));
  const executable = new Set(originals.filter((file) => file.executable).map(({ path }) => path));
  return [...kept, ...own].map(({ path, content }) => ({
    path,
    content,
    // Absent, not false: where setup left a file in its place, the mode is that of the file.
    ...(executable.has(path) ? { executable: true } : {}),
  }));
}

/** Everything that a slot needs to run a command of a person in a task's workspace, as it lies there, once or as a server. */
export const commandSpec = async (
  deps: Deps,
  of: Placement & { id: string; command: string; spec: JobSpec },
): Promise<RunSpec> => ({
  ...baseSpec(deps, { ...of, seed: 0 }),
  files: mutableFiles(await deps.store.task.loadOriginals(of.version.hash), {}),
  command: of.command,
  limits: jobLimits(of.version.task, of.spec),
  sandbox: commandSandbox(of.version.task),
});

function baseSpec(
  deps: Deps,
  { id, seed, version, lease, placement, environment }: Placement & { id: string; seed: number },
): Omit<RunSpec, 'files' | 'command' | 'sandbox' | 'limits'> {
  const { run } = version.task;
  const passed = run.passEnv.flatMap((name) => {
    const value = deps.machine.environment[name];
    // Tasks of an older version were not refused for all of the platform's names.
    return value === undefined || isPlatformVariable(name) ? [] : [[name, value] as const];
  });
  return {
    trialId: id,
    placement,
    fence: lease.fence,
    slot: {
      ...{ id: lease.id, pool: lease.pool, index: lease.index, gpu: lease.gpu },
      cores: deps.hosts.coresOf(lease.host),
    },
    stageHash: stageOf(deps, version),
    path: run.path,
    readable: run.readable,
    ...(environment === undefined ? {} : { environment }),
    env: {
      ...Object.fromEntries(passed),
      ...deps.hosts.envOf(lease.host),
      ...run.env,
      PERPETUA_SEED: String(seed),
      PERPETUA_BUDGET_SECONDS: String(run.budget.seconds),
      // A slot of cores sees no GPU of its host: others are given it. This machine's own are nobody's to give.
      ...(lease.gpu || !deps.hosts.isOwnHost(lease.host) ? { CUDA_VISIBLE_DEVICES: lease.gpu ?? '' } : {}),
    },
  };
}
