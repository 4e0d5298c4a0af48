import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestStack } from '../stack.ts';
import { writeTask } from '../tasks.ts';
import { startScriptedEndpoint } from './scripted-endpoint.mjs';

const SOURCE = fileURLToPath(new URL('./scripted-agent.mjs', import.meta.url));

export interface AgentTrial extends Record<string, unknown> {
  n: number;
  status: string;
  failure: string | null;
  message: string | null;
  value: number | null;
  hypothesis: string | null;
}

export interface AgentCall extends Record<string, unknown> {
  turn: number;
  tokensIn: number | null;
  tokensOut: number | null;
  repeated: number;
  error: string | null;
  answered: boolean;
  cut: boolean;
}

type EndpointOptions = NonNullable<Parameters<typeof startScriptedEndpoint>[0]>;

const NO_CREDIT = { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } };

/** A scripted endpoint, and the scripted agent in a folder that runs may see. */
export async function openAgentBench(options: EndpointOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-agent-'));
  const program = join(folder, 'agent.mjs');
  await copyFile(SOURCE, program);
  await chmod(folder, 0o755);
  const state = { outage: false };
  const endpoint = await startScriptedEndpoint({
    answer: () => (state.outage ? { status: 429, body: NO_CREDIT } : undefined),
    key: 'the-key',
    edit: 'echo X=6.5 >knobs.env',
    say: 'X is nearer to 7.',
    ...options,
  });
  // A name of this bench alone, by which it finds its installed agents.
  const model = basename(folder);
  return {
    endpoint,
    /** While it is true, the endpoint refuses each request as one of an account without credit. */
    set outage(value: boolean) {
      state.outage = value;
    },
    /** Environment of a worker that knows the endpoint. */
    env: { OPENAI_BASE_URL: `${endpoint.url}/v1`, OPENAI_API_KEY: 'the-key', OPENAI_MODEL: model },
    /** Kills each process of the agent, and of no other bench. Returns false if there is none. */
    killAgents: () => killMatching(`^[^ ]*node ${program}`),
    /** Kills each process of an installed agent in the same way. */
    killInstalled: () => killAsking(model),
    /** Recipe of the agent, which does a deed first. */
    recipe: (deed = '') => ({
      protocol: 'chat' as const,
      command: `exec node ${program} ${deed}`,
      resume: `exec node ${program}`,
      readable: [folder],
    }),
    close: async () => {
      await endpoint.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type AgentBench = Awaited<ReturnType<typeof openAgentBench>>;

/** Kills each relay of a stack's runs. Returns false if there is none. */
export const killRelays = (stack: TestStack): boolean => killMatching(`^[^ ]*node [^ ]*/relay[.]mjs .*${stack.home}/`);

const killMatching = (pattern: string): boolean => spawnSync('pkill', ['-KILL', '-f', pattern]).status === 0;

/** Kills the interpreters of agents that ask a model. Their titles do not name it, but their environment does. */
function killAsking(model: string): boolean {
  const found = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isAsking(pid, model));
  for (const pid of found) spawnSync('kill', ['-KILL', pid]);
  return found.length > 0;
}

function isAsking(pid: string, model: string): boolean {
  try {
    const isInterpreter = /\/(node|python[\d.]*)$/.test(readlinkSync(`/proc/${pid}/exe`));
    if (!isInterpreter || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('relay.mjs')) return false;
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`PERPETUA_MODEL=${model}`);
  } catch {
    return false;
  }
}

/** Starts a research whose proposals an agent makes: the parabola, of which the agent edits `knobs.env`. */
export async function startAgentResearch(
  stack: TestStack,
  id: string,
  { proposals = 1, ...proposer }: Record<string, unknown> & { proposals?: number },
): Promise<void> {
  const task = await writeTask(join(stack.home, 'tasks', id), {
    task: {
      name: id,
      search: { parent: 'original', proposer: { name: 'command', ...proposer } as never },
      keep: { policy: 'strict', baselineRuns: 1 },
    },
  });
  await stack.startResearch(id, { task, budget: { proposals } });
}

export const agentTrials = (stack: TestStack, id: string): Promise<AgentTrial[]> =>
  stack.query<AgentTrial>(
    `select n, status, failure, failure_message as message, value, hypothesis from trials
     where research_id = $1 and kind = 'search' order by n`,
    [id],
  );

export const agentCalls = (stack: TestStack, trialId: string): Promise<AgentCall[]> =>
  stack.query<AgentCall>(
    `select turn, tokens_in as "tokensIn", tokens_out as "tokensOut", repeated, error,
       answered_at is not null as answered, cut
     from calls where trial_id = $1 order by turn`,
    [trialId],
  );
