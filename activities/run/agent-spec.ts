import { AGENT_FOLDER, agentScript } from '../../domain/agent/agent-script.ts';
import type { AgentRun } from '../../domain/agent/agent-run.ts';
import type { FileContent, RunSpec } from '../../infra/compute.ts';
import { parentFiles } from '../propose/parent-files.ts';
import type { PickDeps } from '../deps.ts';
import { baseSpec, jobLimits, mutableFiles, type Placement, type SpecDeps } from './run-spec.ts';

type Deps = SpecDeps & PickDeps<'gateway', 'prepare' | 'relay' | 'node' | 'path'>;

/**
 * The run specification of an agent: a work tree of its trial's parent without the evaluator, a network of its own with
 * nothing on it but the gateway, and no variable of the worker.
 */
export async function agentSpec(deps: Deps, placed: Placement & { id: string; agent: AgentRun }): Promise<RunSpec> {
  const { version, agent, id, placement } = placed;
  const { trial, research } = await deps.store.trial.loadTrialAndResearch(agent.trialId);
  const [originals, files] = await Promise.all([
    deps.store.task.loadOriginals(version.hash),
    parentFiles(deps.store, { parentId: trial.parentId ?? research.baselineCandidate, version }),
  ]);
  const { socket, folder } = await deps.gateway.prepare({ jobId: id, placement });
  const { path = [], readable = [], ...base } = baseSpec(deps, { ...placed, seed: trial.seed });
  return {
    ...base,
    files: [...mutableFiles(originals, files), ...(await ownFiles(deps, agent))],
    command: agentScript(agent, { node: deps.gateway.node, socket }),
    // Also on a worker with GPUs: they belong to slots.
    env: { ...version.task.run.env, ...agent.env, CUDA_VISIBLE_DEVICES: '' },
    path: [...path, ...deps.gateway.path],
    readable: [...readable, ...agent.readable],
    gateway: folder,
    limits: jobLimits(version.task, { shape: 'to-an-end', agent }),
    sandbox: 'required',
  };
}

/** Files that are no part of the task: the prompt, the relay, and the configuration of the agent. */
async function ownFiles(deps: PickDeps<'gateway', 'relay'>, { prompt, files }: AgentRun): Promise<FileContent[]> {
  const texts = {
    'prompt.md': prompt,
    'relay.mjs': await deps.gateway.relay(),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`home/${path}`, text])),
  };
  return Object.entries(texts).map(([path, text]) => ({
    path: `${AGENT_FOLDER}/${path}`,
    content: new TextEncoder().encode(text),
  }));
}
