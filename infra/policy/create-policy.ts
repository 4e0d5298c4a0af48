import { mkdir, open, rename, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { StepBatch } from '../../domain/learning/step.ts';
import type { Policy } from '../policy.ts';
import { Models, Result, Tokens } from './answers.ts';
import { findBaseProblem } from './check-base.ts';
import { callServer, withServer, type ServerRequest } from './call-server.ts';
import { malformedError } from './errors.ts';
import { createCheckpointLoader } from './checkpoint-loader.ts';
import type { PolicyOptions } from './options.ts';
import { openCheckpoints } from './checkpoints.ts';
import { serverPaths, type ServerPaths } from './server-paths.ts';
import { sample, promptFields } from './sample.ts';
import { createServerStarter } from './server-starter.ts';
import { createEndpointPolicy } from './endpoint/create-endpoint-policy.ts';

/** Time limit in seconds of requests other than samples and steps, which wait while a step runs. */
const PLAIN_SECONDS = 600;

/** Policies behind `python -m perpetua_trainer serve`, or behind another program that speaks its contract. */
export function createPolicy(options: PolicyOptions): Policy {
  const start = createServerStarter(options);
  const load = createCheckpointLoader();
  const pathsOf = (base: string): ServerPaths => serverPaths(options.home, base);
  const plain = <T>(request: ServerRequest<T>, signal: AbortSignal): Promise<T> =>
    withServer(start, { ...request, seconds: PLAIN_SECONDS, work: (inner) => callServer(request, inner) }, signal);

  return {
    checkpoints: openCheckpoints(options.home),
    // Another program takes names of its own.
    findBaseProblem: async (base) => (options.trainer.program === null ? findBaseProblem(base) : null),
    facts: async (base, signal) => {
      const paths = pathsOf(base);
      const call = { method: 'GET', path: '/v1/models' } as const;
      const { base: folder, tokenizer } = await plain({ paths, what: 'its models', call, schema: Models }, signal);
      return { base: folder, tokenizer };
    },
    tokenize: async (base, prompt, signal) => {
      const call = { method: 'POST', path: '/tokenize', body: promptFields(prompt) } as const;
      const request = { paths: pathsOf(base), what: 'the tokens of a conversation', call, schema: Tokens };
      return (await plain(request, signal)).tokens;
    },
    sample: async (request, signal, tell) => {
      const paths = pathsOf(request.base);
      const work = (inner: AbortSignal) => sample(load, { request, paths }, inner);
      return withServer(start, { paths, what: 'a sample', seconds: request.deadlineSeconds, work, tell }, signal);
    },
    step: async (batch, { base }, signal) => {
      const paths = pathsOf(base);
      const path = await writeBatch(paths.batches, batch);
      const call = { method: 'POST', path: '/step', body: { batch: path, out: paths.checkpoints } } as const;
      const what = `the step ${batch.stepKey.slice(0, 12)}`;
      const request = { paths, what, call, schema: Result, lost: 'failed' } as const;
      const result = await withServer(start, { ...request, work: (inner) => callServer(request, inner) }, signal);
      if (result.stepKey !== batch.stepKey)
        throw malformedError(request, 'the result of another step', JSON.stringify(result));
      // The batch is no longer needed: its rows are stored, and the server answers a finished step by its key.
      await rm(path, { force: true });
      return result;
    },
  };
}

/** Writes a batch as <stepKey>.json, atomically; returns its path. */
async function writeBatch(folder: string, batch: StepBatch): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${batch.stepKey}.json`);
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(batch));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return path;
}

/** Opens the policies of the configured endpoint, else those of servers that this machine starts. */
export const openPolicy = (options: PolicyOptions): Policy =>
  options.trainer.endpoint === null
    ? createPolicy(options)
    : createEndpointPolicy({ home: options.home, endpoint: options.trainer.endpoint, env: options.env });
