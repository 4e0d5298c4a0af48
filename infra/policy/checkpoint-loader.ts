import type { HashedFolder } from '../../domain/learning/step.ts';
import { PolicyError } from '../policy.ts';
import { Loaded, Names } from './answers.ts';
import { callServer } from './call-server.ts';
import type { ServerPaths } from './server-paths.ts';

/** Versions that stay loaded: of low-rank ones, which are small, more than of those that are whole models. */
const KEPT: Readonly<Record<string, number>> = { lora: 8, full: 2 };

/** Longest load, after which it is tried again. */
const MOST_MS = 600_000;

/** Makes a server know a checkpoint. */
export type LoadCheckpoint = (place: ServerPaths, version: HashedFolder) => Promise<void>;

/** Loads checkpoints, once for all who wait for one in this process, and drops those that were loaded long before. */
export function createCheckpointLoader(): LoadCheckpoint {
  const loading = new Map<string, Promise<void>>();
  return (place, version) => {
    const key = `${place.folder} ${version.sha256}`;
    const load = loading.get(key) ?? loadOne(place, version).finally(() => loading.delete(key));
    loading.set(key, load);
    return load;
  };
}

async function loadOne(place: ServerPaths, { path, sha256 }: HashedFolder): Promise<void> {
  // Others may wait for it when the first one no longer does.
  const signal = AbortSignal.timeout(MOST_MS);
  const call = { method: 'POST', path: '/v1/adapters', body: { path, sha256 } } as const;
  const loaded = callServer({ place, what: `the checkpoint ${path}`, call, schema: Loaded }, signal);
  const { kind } = await loaded.catch(waitsForIt);
  const listing = { place, what: 'its models', call: { method: 'GET', path: '/v1/models' } as const, schema: Names };
  const { data } = await callServer(listing, signal);
  const alike = new Set(data.filter((one) => one.kind === kind).map((one) => one.policy_version));
  // In the order in which they were loaded.
  const old = [...alike].filter((one) => one !== sha256).slice(0, -Math.max(1, (KEPT[kind] ?? 1) - 1));
  for (const name of old) {
    const drop = { method: 'DELETE', path: `/v1/adapters/${name}` } as const;
    await callServer({ place, what: `the end of ${name}`, call: drop, schema: Loaded }, signal).catch(unlessRefused);
  }
}

/** Another process may have dropped it. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof PolicyError) || error.kind !== 'refused') throw error;
}

/** A checkpoint that is not there now concerns every sample of its version, and may be mended. */
function waitsForIt(error: unknown): never {
  throw error instanceof PolicyError && error.kind === 'refused'
    ? new PolicyError(error.message, { kind: 'down' })
    : error;
}
