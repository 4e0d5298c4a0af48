import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';

/** A real ssh-agent. */
export interface TestAgent {
  socket: string;
  /** Gives it a key's file, in the order of the calls. */
  add(keyFile: string): void;
  /** The same, and the key lies nowhere else afterwards. */
  take(keyFile: string): void;
  stop(): void;
}

/** Starts one whose socket lies in that folder. */
export async function startAgent(folder: string, name = 'agent.sock'): Promise<TestAgent> {
  const socket = join(folder, name);
  const daemon = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  const env = { ...process.env, SSH_AUTH_SOCK: socket };
  // 1: it has no keys yet; 2: it does not answer yet.
  const answers = (): boolean => spawnSync('ssh-add', ['-l'], { env }).status === 1;
  await vi.waitUntil(answers, { timeout: 60_000 });
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
