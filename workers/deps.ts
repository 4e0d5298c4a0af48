import { createHash, createHmac } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { ActivityDeps } from '../activities/index.ts';
import { AGENT_POOL } from '../domain/agent/agent-pool.ts';
import { toolEnv } from '../config/child-env.ts';
import { offeredModels } from '../config/has-model.ts';
import type { Config } from '../config/load.ts';
import { syntaxFilesIn } from '../config/paths.ts';
import type { Store } from '../db/store.ts';
import { HostGoneError, type Compute } from '../infra/compute.ts';
import { diskSizeMb } from '../infra/files.ts';
import { createEvaluator } from '../infra/evaluate/create-evaluator.ts';
import { findAgent } from '../infra/agent/find-agent.ts';
import { createGateway } from '../infra/gateway/create-gateway.ts';
import { readEndpoints } from '../infra/gateway/endpoints.ts';
import { createRunGateway, type RunGateway } from '../infra/gateway/run-gateway.ts';
import type { Provider } from '../domain/llm/providers.ts';
import { sendNotice } from '../infra/notify/send.ts';
import { createLlm } from '../infra/llm/create-llm.ts';
import { createOpenAiLlm } from '../infra/llm/openai.ts';
import { ANTHROPIC } from '../infra/llm/providers/anthropic.ts';
import { GEMINI } from '../infra/llm/providers/gemini.ts';
import { priceOf } from '../infra/llm.ts';
import { createEnvironments } from '../infra/python/environments.ts';
import { localEnvironmentBin } from '../infra/python/local-environment-bin.ts';
import { canLearn, hasTrainer } from '../infra/trainer/has-trainer.ts';
import { createOptimizer } from '../infra/optimizer/create-optimizer.ts';
import { hasOptimizer } from '../infra/optimizer/optimizer-paths.ts';
import { openPolicy } from '../infra/policy/create-policy.ts';
import { installEnvironment } from '../infra/trainer/tool-environment.ts';
import { readOwnHardware } from '../infra/gpus/own-hardware.ts';
import { createSyntax } from '../infra/syntax/syntax.ts';
import { withinTime } from '../infra/within-time.ts';
import type { FleetHosts } from './fleet/hosts.ts';
import { describeHardware, describeOwnHardware } from '../domain/fleet/describe-hardware.ts';
import { shortageIn } from '../domain/fleet/lendable-slots.ts';
import { createProgramReader } from './program-reader.ts';
import { cacheImmutableReads } from './cache-immutable-reads.ts';
import { findTask } from '../tasks/find-task.ts';
import { loadTask } from '../tasks/load.ts';
import { shownFiles } from '../tasks/folder/shown-files.ts';

/** Builds everything that activities work with from the configuration. */
export function createDeps(from: {
  config: Config;
  store: Store;
  client: Client;
  compute: Compute;
  secret: string;
  /** Pool of this machine. */
  pool: string;
  hosts: FleetHosts;
  searchAttributes: ActivityDeps['temporal']['searchAttributes'];
  takeOffer: ActivityDeps['pools']['takeOffer'];
  reach: ActivityDeps['reach'];
  /** Writes one line into the worker's log. */
  warn: (line: string) => void;
}): ActivityDeps {
  const { config, store, client, compute, hosts } = from;
  const { prices } = config.openai;
  const programsOf = createProgramReader();
  let ownHardware: Promise<string | null> | undefined;
  const isOwn = (pool: string): boolean => pool === from.pool || pool === AGENT_POOL;
  return {
    store: cacheImmutableReads(store),
    hosts: {
      computeOf: (host) => {
        const found = host === compute.host ? compute : hosts.computeOf(host);
        if (found) return found;
        throw new HostGoneError(
          host,
          `expected ${compute.host} or a host of the fleet: a worker must run on that machine, ` +
            'or npx perpetua fleet apply must name it',
        );
      },
      envOf: hosts.envOf,
      coresOf: hosts.coresOf,
      lostAfter: hosts.lostAfter,
      shortageOf: async (host, run) => shortageIn(await hosts.computeOf(host)?.machine(), run),
      memoryOf: hosts.memoryOf,
      hardwareOf: async (lease) => {
        if (lease.host !== compute.host) return hosts.hardwareOf(lease);
        const slot = { cores: hosts.coresOf(lease.host), sharing: config.slots };
        return (ownHardware ??= readOwnHardware(config.env, slot));
      },
      isOwnHost: (host) => host === compute.host,
      secondsSinceAnswer: (host) => hosts.computeOf(host)?.secondsSinceAnswer() ?? process.uptime(),
    },
    environments: {
      ...createEnvironments({ env: installEnvironment(config.env), cache: config.trainer.cache }),
      binHere: (name) => localEnvironmentBin(config.home, name),
      ownHost: compute.host,
    },
    pools: {
      memoryIn: hosts.memoryIn,
      protections: async (mode, pool) => (isOwn(pool) ? compute.protections(mode) : hosts.protections(mode, pool)),
      lacks: async (needs, pool) => (isOwn(pool) ? compute.missingTools(needs) : hosts.missingTools(needs, pool)),
      takeOffer: from.takeOffer,
      hardware: async (pool) =>
        pool === from.pool
          ? [describeOwnHardware({ cores: availableParallelism(), slots: config.slots })]
          : describeHardware(
              (await store.host.findHosts()).filter((host) => host.pool === pool && host.state === 'serving'),
            ),
      programs: async (pool, needs) => (pool === from.pool ? programsOf(needs) : []),
      slotsOf: async (pool) => (pool === from.pool ? config.slots : store.slot.countSlots(pool)),
      diskSizeMb: async (pool) => (pool === from.pool ? diskSizeMb(config.home) : null),
    },
    models: {
      ...createModels(config, from.warn),
      hasTrainer: () => hasTrainer(config),
      canLearn: () => canLearn(config),
      hasOptimizer: () => hasOptimizer(config),
      priceOf: (name, tokensIn, tokensOut) => priceOf({ model: name, tokensIn, tokensOut }, prices),
    },
    policy: openPolicy({
      home: config.home,
      packageRoot: config.packageRoot,
      env: config.env,
      trainer: config.trainer,
    }),
    optimizer: createOptimizer(config),
    gateway: openGateway(config, from.warn),
    agents: { find: (name) => findAgent(name, { packageRoot: config.packageRoot, cache: config.agentCache }) },
    scoring: {
      evaluator: createEvaluator(config),
      hmac: (text) => createHmac('sha256', from.secret).update(text).digest('hex'),
      withinTime,
    },
    syntax: createSyntax(syntaxFilesIn(config.packageRoot)),
    tasks: {
      loadTask: async (nameOrPath) => {
        const folder = await findTask(nameOrPath, { cwd: process.cwd(), builtin: `${config.packageRoot}/tasks` });
        // Hides the folder: a run must not find its evaluator there.
        await compute.hide(folder);
        await hosts.hide(folder);
        return loadTask(folder);
      },
      shownFiles,
    },
    messages: {
      send: (sink, notice, signal) =>
        sendNotice(sink, notice, { env: config.env, commandEnv: toolEnv(config), now: new Date(), signal }),
    },
    temporal: {
      describeWorkflow: (workflowId) => describeWorkflow(client, workflowId),
      searchAttributes: from.searchAttributes,
    },
    machine: {
      freeDisk: async () => {
        const { bavail, bsize, files, ffree } = await statfs(config.home);
        return { bytes: bavail * bsize, files: files === 0 ? null : ffree };
      },
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      environment: config.env,
    },
    reach: from.reach,
  };
}

/** Clients of the providers that the environment names, each with its default model. */
function createModels(config: Config, log: (line: string) => void): Pick<ActivityDeps['models'], ClientKey> {
  const offered = offeredModels(config);
  const optionsOf = (name: Provider) => {
    const { baseUrl, apiKey } = config[name];
    return { baseUrl, apiKey, env: config.env, log };
  };
  const native = { anthropic: ANTHROPIC, gemini: GEMINI };
  const others = Object.entries(native).flatMap(([name, wire]) => {
    const model = offered[wire.provider];
    return model === undefined ? [] : [[name, { llm: createLlm(wire, optionsOf(wire.provider)), model }] as const];
  });
  return {
    llm: offered.openai === undefined ? undefined : createOpenAiLlm(optionsOf('openai')),
    llmModel: offered.openai ?? undefined,
    native: Object.fromEntries(others),
  };
}

type ClientKey = 'llm' | 'llmModel' | 'native';

function openGateway(config: Config, log: (line: string) => void): RunGateway {
  const endpoints = readEndpoints(config);
  const gateway = createGateway({ endpoints, env: config.env, log });
  return createRunGateway({ home: config.home, gateway, endpoints });
}

async function describeWorkflow(client: Client, workflowId: string): Promise<'open' | 'closed' | 'unknown'> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' || status.name === 'PAUSED' ? 'open' : 'closed';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'unknown';
    throw error;
  }
}
