import type { HashedFolder } from '../../domain/learning/step.ts';
import { PolicyError } from '../policy.ts';
import { Loaded, Names } from './answers.ts';
import { callServer } from './call-server.ts';
import type { ServerPaths } from './server-paths.ts';

/** Number of versions that stay loaded, by kind: low-rank versions are small, full ones are whole models. */
const KEPT: Readonly<Record<string, number>> = { lora: 8, full: 2 };

/** Longest load in ms, after which the caller retries. */
const MOST_MS = 600_000;

/** Loads a checkpoint into a server. */
export type LoadCheckpoint = (paths: ServerPaths, version: HashedFolder) => Promise<void>;

/** Loads checkpoints, once for all callers in this process that wait for one, and drops the oldest ones. */
export function createCheckpointLoader(): LoadCheckpoint {
  const loading = new Map<string, Promise<void>>();
  return (paths, version) => {
    const key = `${paths.folder} ${version.sha256}`;
    const load = loading.get(key) ?? loadOne(paths, version).finally(() => loading.delete(key));
    loading.set(key, load);
    return load;
  };
}

async function loadOne(paths: ServerPaths, { path, sha256 }: HashedFolder): Promise<void> {
  // Not the caller's signal: other callers may still wait when the first one gives up.
  const signal = AbortSignal.timeout(MOST_MS);
  const call = { method: 'POST', path: '/v1/adapters', body: { path, sha256 } } as const;
  const loaded = callServer({ paths, what: `the checkpoint ${path}`, call, schema: Loaded }, signal);
  const { kind } = await loaded.catch(retryRefused);
  const listing = { paths, what: 'its models', call: { method: 'GET', path: '/v1/models' } as const, schema: Names };
  const { data } = await callServer(listing, signal);
  // The server lists its versions in the order in which they were loaded.
  const sameKind = new Set(data.filter((model) => model.kind === kind).map((model) => model.policy_version));
  const old = [...sameKind].filter((version) => version !== sha256).slice(0, -Math.max(1, (KEPT[kind] ?? 1) - 1));
  for (const name of old) {
    const drop = { method: 'DELETE', path: `/v1/adapters/${name}` } as const;
    await callServer({ paths, what: `the end of ${name}`, call: drop, schema: Loaded }, signal).catch(ignoreRefused);
  }
}

/** Ignores a refusal: another process may have dropped the version already. */
function ignoreRefused(error: unknown): void {
  if (!(error instanceof PolicyError) || error.kind !== 'refused') throw error;
}

/** Makes a refusal retryable: a missing checkpoint affects all samples of its version, and a person may restore it. */
function retryRefused(error: unknown): never {
  if (error instanceof PolicyError && error.kind === 'refused') throw new PolicyError(error.message, { kind: 'down' });
  throw error;
}
