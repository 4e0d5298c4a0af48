import { mkdir, open, rename, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { StepBatch } from '../../domain/learning/step.ts';
import type { Policy } from '../policy.ts';
import { Models, Result, Tokens } from './answers.ts';
import { callServer, withServer, type ServerRequest } from './call-server.ts';
import { malformedError } from './errors.ts';
import { createCheckpointLoader } from './checkpoint-loader.ts';
import type { PolicyOptions } from './options.ts';
import { openCheckpoints } from './checkpoints.ts';
import { serverPaths, type ServerPaths } from './server-paths.ts';
import { sample, promptFields } from './sample.ts';
import { createServerStarter } from './server-starter.ts';
import { createEndpointPolicy } from './endpoint/create-endpoint-policy.ts';

/** Seconds for what is no sample and no step; a step at work keeps it waiting. */
const PLAIN_SECONDS = 600;

/** Policies behind `python -m perpetua_trainer serve`, or behind another program that speaks its contract. */
export function createPolicy(options: PolicyOptions): Policy {
  const start = createServerStarter(options);
  const load = createCheckpointLoader();
  const placeFor = (base: string): ServerPaths => serverPaths(options.home, base);
  const plain = <T>(question: ServerRequest<T>, signal: AbortSignal): Promise<T> =>
    withServer(start, { ...question, seconds: PLAIN_SECONDS, work: (inner) => callServer(question, inner) }, signal);

  return {
    checkpoints: openCheckpoints(options.home),
    facts: async (base, signal) => {
      const place = placeFor(base);
      const call = { method: 'GET', path: '/v1/models' } as const;
      const { base: folder, tokenizer } = await plain({ place, what: 'its models', call, schema: Models }, signal);
      return { base: folder, tokenizer };
    },
    tokenize: async (base, prompt, signal) => {
      const call = { method: 'POST', path: '/tokenize', body: promptFields(prompt) } as const;
      const question = { place: placeFor(base), what: 'the tokens of a conversation', call, schema: Tokens };
      return (await plain(question, signal)).tokens;
    },
    sample: async (request, signal) => {
      const place = placeFor(request.base);
      const work = (inner: AbortSignal) => sample(load, { request, place }, inner);
      return withServer(start, { place, what: 'a sample', seconds: request.deadlineSeconds, work }, signal);
    },
    step: async (batch, { base }, signal) => {
      const place = placeFor(base);
      const path = await writeBatch(place.batches, batch);
      const call = { method: 'POST', path: '/step', body: { batch: path, out: place.checkpoints } } as const;
      const what = `the step ${batch.stepKey.slice(0, 12)}`;
      const question = { place, what, call, schema: Result, lost: 'failed' } as const;
      const result = await withServer(start, { ...question, work: (inner) => callServer(question, inner) }, signal);
      if (result.stepKey !== batch.stepKey)
        throw malformedError(question, 'the result of another step', JSON.stringify(result));
      // The rows that it was made from are there, and a step that is done is answered by its key.
      await rm(path, { force: true });
      return result;
    },
  };
}

/** Writes a batch as <stepKey>.json, whole or not at all; returns its path. */
async function writeBatch(folder: string, batch: StepBatch): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${batch.stepKey}.json`);
  const next = `${path}.${randomUUID()}`;
  try {
    const file = await open(next, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(batch));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  return path;
}

/** The policies of this machine: of the server that is named, else of servers that are started here. */
export const openPolicy = (options: PolicyOptions): Policy =>
  options.trainer.endpoint === null
    ? createPolicy(options)
    : createEndpointPolicy({ home: options.home, endpoint: options.trainer.endpoint });
