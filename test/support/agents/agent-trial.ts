import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { prepareAgent } from '../../../domain/agent/prepare.ts';
import { writeAgentFiles } from '../../../infra/agent/check-agent.ts';
import type { FoundAgent } from '../../../infra/agent/find-agent.ts';
import { treeOf } from '../../../infra/process/list.ts';
import { SYSTEM_PATH } from '../../../infra/system-path.ts';

/** Longest time of one run; it ends runs that hang. */
const LIMIT_MS = 240_000;

export interface Ended {
  code: number | null;
  output: string;
}

/** A trial of an installed agent: its home and its work tree, which has LR = 0.1. */
export interface AgentTrial {
  /** Runs a command of the recipe to its end. */
  run: (command: string, prompt: string) => Promise<Ended>;
  /** Starts it; `kill` kills all its processes with KILL, and waits for their end. */
  start: (command: string, prompt: string) => { ended: Promise<Ended>; kill: () => Promise<void> };
  /** The line of the rate in the work tree's file. */
  rate: () => string;
  /** Text of all files that match the recipe's transcript. */
  transcript: () => string;
  /** Files of the work tree. */
  files: () => string[];
  /** Goes on in a copy of the work tree, as another placement of the trial does. */
  copyTree: () => void;
  remove: () => void;
}

interface Options {
  found: FoundAgent;
  gateway: string;
}

export async function openAgentTrial({ found, gateway }: Options): Promise<AgentTrial> {
  const root = mkdtempSync(join(tmpdir(), 'perpetua-test-agent-'));
  const [home, prompt] = [join(root, 'home'), join(root, 'prompt')];
  let [work, copies] = [join(root, 'work'), 0];
  mkdirSync(work);
  writeFileSync(join(work, 'train.py'), 'LR = 0.1\nprint("loss", (LR - 0.3) ** 2)\n');
  const session = '11111111-2222-4333-8444-555555555555';
  const place = { home, prompt, model: 'vendor/scripted-1:free', gateway, agent: found.folder, session };
  const { env, files } = prepareAgent(found.recipe, place);
  await writeAgentFiles(home, files);
  writeFileSync(prompt, '');
  const start = (command: string, text: string) => {
    writeFileSync(prompt, text);
    const child = spawn('/bin/sh', ['-c', `umask 077; ${command}`], {
      cwd: work,
      env: { PATH: SYSTEM_PATH, LANG: 'C.UTF-8', TERM: 'dumb', TMPDIR: root, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { ended: endOf(child), kill: () => killTree(child) };
  };
  return {
    start,
    run: async (command, text) => {
      const { ended, kill } = start(command, text);
      const timer = setTimeout(() => void kill(), LIMIT_MS);
      return ended.finally(() => clearTimeout(timer));
    },
    rate: () => readFileSync(join(work, 'train.py'), 'utf8').split('\n')[0] ?? '',
    transcript: () => {
      const matches = picomatch(found.recipe.transcript ?? '', { dot: true });
      const paths = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => matches(path));
      return paths.map((path) => readFileSync(join(home, path), 'utf8')).join('');
    },
    files: () => readdirSync(work),
    copyTree: () => {
      const copy = join(root, `work-${(copies += 1)}`);
      cpSync(work, copy, { recursive: true });
      work = copy;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function killTree(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  if (child.pid !== undefined) for (const pid of treeOf(child.pid)) process.kill(pid, 'SIGKILL');
  await closed;
}
