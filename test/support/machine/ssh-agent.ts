import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';

/** A real ssh-agent. */
export interface TestAgent {
  socket: string;
  /** Adds the key of a file; the agent offers keys in the order of the calls. */
  add: (keyFile: string) => void;
  /** Adds the key of a file, and deletes both files of the key. */
  addAndDelete: (keyFile: string) => void;
  stop: () => void;
}

/** Runs work with an agent, and stops the agent after it. */
export async function withAgent<T>(folder: string, work: (agent: TestAgent) => Promise<T>): Promise<T> {
  const agent = await startAgent(folder, 'work.sock');
  try {
    return await work(agent);
  } finally {
    agent.stop();
  }
}

/** Starts an agent whose socket lies in that folder. */
export async function startAgent(folder: string, name = 'agent.sock'): Promise<TestAgent> {
  const socket = join(folder, name);
  const daemon = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  const env = { ...process.env, SSH_AUTH_SOCK: socket };
  // Status 1: the agent has no keys yet; 2: it does not answer yet.
  const answers = (): boolean => spawnSync('ssh-add', ['-l'], { env }).status === 1;
  await vi.waitUntil(answers, { timeout: 60_000 }).catch((error: unknown) => {
    daemon.kill();
    throw error;
  });
  const add = (keyFile: string): void => void execFileSync('ssh-add', ['-q', keyFile], { env, stdio: 'pipe' });
  return {
    socket,
    add,
    addAndDelete: (keyFile) => {
      add(keyFile);
      for (const file of [keyFile, `${keyFile}.pub`]) rmSync(file);
    },
    stop: () => void daemon.kill(),
  };
}
