import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../config/paths.ts';
import { createPolicy } from '../../../infra/policy/create-policy.ts';
import type { PolicyOptions } from '../../../infra/policy/options.ts';
import { serverPaths } from '../../../infra/policy/server-paths.ts';
import { identify, type ProcessIdentity } from '../../../infra/process/identity.ts';
import type { Trainer } from '../../../domain/learning/trainer.ts';
import type { Policy } from '../../../infra/policy.ts';
import { endServers } from './end-servers.ts';

/** Starts the policy server without torch; as JSON it is a worker's PERPETUA_POLICY_PROGRAM. */
export const FAKE_PROGRAM: readonly string[] = [
  process.execPath,
  join(packageRoot(), 'test/support/policy/server.mjs'),
];

/** A policy server's home and its adapter. */
export interface PolicyHome {
  policy: Policy;
  options: PolicyOptions;
  home: string;
  /** The living server of a model. */
  serverOf: (base: string) => Promise<ProcessIdentity | undefined>;
  /** Ends the servers and removes the home. */
  close: () => Promise<void>;
}

/** A home of its own; its servers are the fake's unless `trainer` says otherwise. */
export async function openPolicy(trainer: Partial<Trainer> = {}): Promise<PolicyHome> {
  const home = await mkdtemp(join(tmpdir(), 'perpetua-policy-'));
  const usual = { cache: join(home, 'trainer'), models: join(home, 'models'), python: null, threads: 1 };
  const options: PolicyOptions = {
    home,
    packageRoot: packageRoot(),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    trainer: { ...usual, device: 'cpu', dtype: 'float32', program: FAKE_PROGRAM, endpoint: null, ...trainer },
  };
  const serverOf = async (base: string) => {
    const pid = Number(await readFile(serverPaths(home, base).lock, 'utf8').catch(() => '0'));
    return pid > 1 ? identify(pid) : undefined;
  };
  const close = async () => {
    await endServers(home);
    await rm(home, { recursive: true, force: true });
  };
  return { policy: createPolicy(options), options, home, serverOf, close };
}
