import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';

/** A real ssh-agent. */
export interface TestAgent {
  socket: string;
  /** Gives it a key's file, in the order of the calls. */
  add: (keyFile: string) => void;
  /** The same, and the key lies nowhere else afterwards. */
  take: (keyFile: string) => void;
  stop: () => void;
}

/** One for the time of some work, whatever comes of that. */
export async function withAgent<T>(folder: string, work: (agent: TestAgent) => Promise<T>): Promise<T> {
  const agent = await startAgent(folder, 'work.sock');
  try {
    return await work(agent);
  } finally {
    agent.stop();
  }
}

/** Starts one whose socket lies in that folder. */
export async function startAgent(folder: string, name = 'agent.sock'): Promise<TestAgent> {
  const socket = join(folder, name);
  const daemon = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  const env = { ...process.env, SSH_AUTH_SOCK: socket };
  // 1: it has no keys yet; 2: it does not answer yet.
  const answers = (): boolean => spawnSync('ssh-add', ['-l'], { env }).status === 1;
  await vi.waitUntil(answers, { timeout: 60_000 }).catch((why: unknown) => {
    daemon.kill();
    throw why;
  });
  const add = (keyFile: string): void => void execFileSync('ssh-add', ['-q', keyFile], { env, stdio: 'pipe' });
  return {
    socket,
    add,
    take: (keyFile) => {
      add(keyFile);
      for (const file of [keyFile, `${keyFile}.pub`]) rmSync(file);
    },
    stop: () => void daemon.kill(),
  };
}
