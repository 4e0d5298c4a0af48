import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prepareAgent } from '../../domain/agent/prepare.ts';
import type { AgentRecipe } from '../../domain/agent/recipe.ts';
import type { CallUsage, Protocol } from '../../domain/gateway/call.ts';
import { SYSTEM_PATH } from '../system-path.ts';
import { type AgentEnd, runAgent } from './run-agent.ts';

/** A gateway for one check: it passes calls of one protocol to the endpoint, and counts them. */
export interface CheckGateway {
  /** Base URL, without `/v1`. */
  url: string;
  /** The calls so far: status of the endpoint, and tokens. */
  calls: () => Promise<CheckedCall[]>;
  close: () => Promise<void>;
}
export interface CheckedCall {
  status: number;
  usage: Pick<CallUsage, 'tokensIn' | 'tokensOut'>;
}
export type StartGateway = (options: { protocol: Protocol; model: string }) => Promise<CheckGateway>;

export interface CheckOptions {
  /** Folder of the installed agent; null for a recipe of the user's own. */
  folder: string | null;
  model: string;
  startGateway: StartGateway;
  seconds?: number;
  signal?: AbortSignal;
}

export interface AgentCheck {
  /** True if the file was changed as the prompt says. */
  landed: boolean;
  calls: number;
  /** Calls that the endpoint refused, by status. */
  refused: Record<string, number>;
  tokensIn: number;
  tokensOut: number;
  end: AgentEnd;
}

const FILE = 'train.py';
const BEFORE = 'LR = 0.1\nprint("loss", (LR - 0.3) ** 2)\n';
const PROMPT = `In ${FILE}, set LR to 0.2 instead of 0.1. Change nothing else, and run nothing.\n`;
const LANDED = /^LR\s*=\s*0?\.20*\s*$/m;
const SECONDS = 300;

/** Runs an agent once in a work tree of its own, which is removed afterwards, and says whether its edit landed. */
export async function checkAgent(recipe: AgentRecipe, options: CheckOptions): Promise<AgentCheck> {
  const { folder, model, startGateway, seconds = SECONDS, signal } = options;
  const gateway = await startGateway({ protocol: recipe.protocol, model });
  const root = await mkdtemp(join(tmpdir(), 'perpetua-agent-'));
  try {
    const place = { home: join(root, 'home'), prompt: join(root, 'prompt'), session: randomUUID() };
    const work = join(root, 'work');
    const prepared = prepareAgent(recipe, { ...place, model, gateway: gateway.url, agent: folder });
    await mkdir(work);
    await writeFile(join(work, FILE), BEFORE);
    await writeFile(place.prompt, PROMPT);
    await writeAgentFiles(place.home, prepared.files);
    const env = { PATH: SYSTEM_PATH, LANG: 'C.UTF-8', TERM: 'dumb', TMPDIR: root, ...prepared.env };
    const end = await runAgent(recipe.command, { cwd: work, env, seconds, ...(signal && { signal }) });
    const landed = LANDED.test(await readFile(join(work, FILE), 'utf8').catch(() => ''));
    return { landed, ...summarise(await gateway.calls()), end };
  } finally {
    await gateway.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** Writes the files of a recipe below the agent's home. */
export async function writeAgentFiles(home: string, files: { path: string; text: string }[]): Promise<void> {
  await mkdir(home, { recursive: true });
  for (const { path, text } of files) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
}

function summarise(calls: CheckedCall[]): Pick<AgentCheck, 'calls' | 'refused' | 'tokensIn' | 'tokensOut'> {
  const refused: Record<string, number> = {};
  for (const { status } of calls) if (status >= 400) refused[status] = (refused[status] ?? 0) + 1;
  const sum = (key: 'tokensIn' | 'tokensOut') => calls.reduce((total, { usage }) => total + (usage[key] ?? 0), 0);
  return { calls: calls.length, refused, tokensIn: sum('tokensIn'), tokensOut: sum('tokensOut') };
}
