import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prepareAgent } from '../../domain/agent/prepare.ts';
import type { AgentRecipe } from '../../domain/agent/recipe.ts';
import { SYSTEM_PATH } from '../system-path.ts';
import { type AgentEnd, runAgent } from './run-agent.ts';

/** A gateway for one check: it passes calls of one protocol to the endpoint, and counts them. */
export interface CheckGateway {
  /** Base URL, without `/v1`. */
  url: string;
  /** The calls that have ended. */
  calls: () => CheckedCall[];
  close: () => Promise<void>;
}

export interface CheckedCall {
  /** The endpoint's error; null for an answer. */
  problem: string | null;
  tokensIn: number;
  tokensOut: number;
}

export interface CheckOptions {
  /** Folder of the installed agent; null for a recipe of the user's own. */
  folder: string | null;
  model: string;
  startGateway: () => Promise<CheckGateway>;
  seconds?: number;
  signal?: AbortSignal;
}

export interface AgentCheck {
  /** True if the file was changed as the prompt says. */
  landed: boolean;
  calls: number;
  /** The last error of the endpoint; null if each call was answered. */
  problem: string | null;
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
  const gateway = await startGateway();
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
    return { landed, ...summarise(gateway.calls()), end };
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

function summarise(calls: CheckedCall[]): Omit<AgentCheck, 'landed' | 'end'> {
  const sum = (key: 'tokensIn' | 'tokensOut') => calls.reduce((total, call) => total + call[key], 0);
  const problem = calls.findLast((call) => call.problem !== null)?.problem ?? null;
  return { calls: calls.length, problem, tokensIn: sum('tokensIn'), tokensOut: sum('tokensOut') };
}
