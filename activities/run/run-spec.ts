import type { Trial } from '../../db/trial/proposal.ts';
import type { Research } from '../../db/research/research.ts';
import type { Lease } from '../../db/slot/slots.ts';
import type { StoredFile, TaskVersion } from '../../db/task/task-version.ts';
import type { AgentRun } from '../../domain/agent/agent-run.ts';
import type { JobSpec } from '../../domain/job.ts';
import { shapeOf } from '../../domain/job/shape-of.ts';
import { type RunLimits, runLimits } from '../../domain/job/run-limits.ts';
import { choiceIn } from '../../domain/search/proposer/makers.ts';
import type { Task } from '../../domain/task/task.ts';
import type { FileContent, RunSpec } from '../../infra/compute.ts';
import { mostCpuOf } from './most-cpu.ts';
import { isPlatformVariable } from '../../domain/task/platform-variables.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';
import { stageOf } from '../task/task-stage.ts';
import { commandSandbox, sandboxOf } from '../task/sandbox-of.ts';

/**
 * Hard limits of a job's run in this task. A command and a server have no limit of CPU seconds, and a server has no
 * time limit. An agent has limits of its own.
 */
export function jobLimits(task: Task, spec: JobSpec): RunLimits {
  const limits = { ...runLimits(task), cpuSeconds: null };
  const { serves, agent } = shapeOf(spec);
  if (agent) return agentLimits(limits, agent);
  return serves ? { ...limits, wallSeconds: null } : limits;
}

/** Processes and files of an agent, whose own programs may need more than the task's runs. */
const AGENT_PROCESSES = 512;
const AGENT_FILES = 100_000;

function agentLimits(limits: RunLimits, { limits: agent }: AgentRun): RunLimits {
  return {
    ...limits,
    wallSeconds: agent.seconds,
    cpuSeconds: agent.cpuSeconds,
    memoryMb: agent.memoryMb,
    diskMb: agent.diskMb,
    outputBytes: Math.round(agent.outputMb * 1024 * 1024),
    processes: Math.max(limits.processes, AGENT_PROCESSES),
    files: Math.max(limits.files, AGENT_FILES),
  };
}

export type SpecDeps = Pick<ActivityDeps, 'store'> &
  PickDeps<'machine', 'environment'> &
  PickDeps<'scoring', 'hmac'> &
  PickDeps<'hosts', 'coresOf' | 'envOf' | 'isOwnHost'>;

/** A placement of a job on the slot that it holds. */
export interface Placement {
  version: TaskVersion;
  lease: Lease;
  placement: number;
  /** Stage of the task's Python on the host; absent if the task has no environment. */
  environment?: string | undefined;
}

/** The run specification of a trial. */
export async function runSpecOf(
  deps: SpecDeps,
  from: Placement & {
    trial: Trial;
    research: Pick<Research, 'proposer' | 'settings'>;
    /** Command that answers an evaluator, in place of the task's run command. */
    command?: string;
  },
): Promise<RunSpec> {
  const { trial, research, version } = from;
  const { run, progress, metric } = version.task;
  if (!trial.candidateId) throw new Error(`Expected trial ${trial.id} to have a candidate before it runs`);
  const { researchId, candidateId } = trial;
  const [originals, candidate] = await Promise.all([
    deps.store.task.loadOriginals(version.hash),
    deps.store.trial.loadCandidate(candidateId),
  ]);
  return {
    ...baseSpec(deps, { ...from, id: trial.id, seed: trial.seed }),
    files: mutableFiles(originals, candidate.files, candidate.deleted),
    command: from.command ?? run.command,
    limits: { ...runLimits(version.task), cpuSeconds: await mostCpuOf(deps, trial, version.task) },
    ...(version.task.evaluator.type === 'interactive' ? { awaitsConversation: true } : {}),
    // Separate streams only if lines are read from one of them: a joined log keeps the order of all lines.
    ...(progress !== undefined || metric.from === 'stdout' ? { apart: true } : {}),
    sandbox: await sandboxOf(deps.store, version.task, { proposer: choiceIn(research), researchId, candidateId }),
  };
}

/**
 * All mutable files of a run, which are not part of its stage: the candidate's files with the mode of the originals,
 * and the originals of files that were not mutable yet when the candidate was made. Without the files that it deleted.
 */
export function mutableFiles(
  originals: readonly StoredFile[],
  candidate: Readonly<Record<string, string>>,
  deleted: readonly string[] = [],
): FileContent[] {
  const changed = Object.entries(candidate).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) }));
  const kept = originals.filter(({ path }) => !Object.hasOwn(candidate, path) && !deleted.includes(path));
  const executable = new Set(originals.filter((file) => file.executable).map(({ path }) => path));
  return [...kept, ...changed].map(({ path, content }) => ({
    path,
    content,
    // Absent, not false: if setup made a file at this path, the file keeps the mode from setup.
    ...(executable.has(path) ? { executable: true } : {}),
  }));
}

/** The run specification of a person's command or server in a task's unmodified workspace. */
export async function commandSpec(
  deps: SpecDeps,
  placed: Placement & { id: string; command: string; spec: JobSpec },
): Promise<RunSpec> {
  const { version, command, spec } = placed;
  return {
    ...baseSpec(deps, { ...placed, seed: 0 }),
    files: mutableFiles(await deps.store.task.loadOriginals(version.hash), {}),
    command,
    limits: jobLimits(version.task, spec),
    sandbox: commandSandbox(version.task),
  };
}

/** The part that the specifications of all jobs have in common. */
export function baseSpec(
  deps: SpecDeps,
  { id, seed, version, lease, placement, environment }: Placement & { id: string; seed: number },
): Omit<RunSpec, 'files' | 'command' | 'sandbox' | 'limits'> {
  const { run } = version.task;
  const passed = run.passEnv.flatMap((name) => {
    const value = deps.machine.environment[name];
    // An older version may have accepted a task that passes a name of the platform.
    return value === undefined || isPlatformVariable(name) ? [] : [[name, value] as const];
  });
  return {
    jobId: id,
    placement,
    fence: lease.fence,
    slot: {
      id: lease.id,
      pool: lease.pool,
      index: lease.index,
      gpu: lease.gpu,
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
      // Empty for a slot without a GPU on a host of the fleet, whose GPUs belong to other slots. On this machine it
      // stays unset, since its slots lend no GPUs.
      ...(lease.gpu || !deps.hosts.isOwnHost(lease.host) ? { CUDA_VISIBLE_DEVICES: lease.gpu ?? '' } : {}),
    },
  };
}
