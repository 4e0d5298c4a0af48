import { ApplicationFailure } from '@temporalio/activity';
import type { FollowedRun, Run } from '../../../db/run/run.ts';
import { shapeOf } from '../../../domain/job/shape-of.ts';
import type { PickStatements } from '../../deps.ts';
import type { Follower } from './follower.ts';
import { createReadyReader } from '../ready-reader.ts';

/**
 * Stores output as it comes, with the offset up to which it was read, so that no byte is lost or doubled. Output past
 * `most` bytes is read and dropped. For a server, the time at which it serves is stored with the output that reports
 * it.
 */
export function createOutputFollower(from: {
  store: PickStatements<'run', 'saveProgress'>['store'];
  key: { jobId: string; placement: number };
  run: Pick<Run, 'follower' | 'logOffset' | 'reader' | 'readyAt'> & Pick<FollowedRun, 'spec'>;
  most: number;
}): Follower {
  const { store, key, run, most } = from;
  const { serves } = shapeOf(run.spec);
  const ready = serves && createReadyReader(serves.ready, run);
  let isReadyStored = run.readyAt !== null;
  let committed = run.logOffset;
  let offset = run.logOffset;
  let pending: Uint8Array[] = [];
  let saving = Promise.resolve();
  const commit = async (): Promise<void> => {
    const isReady = ready ? ready.isReady() : false;
    // The server may become ready without new output: see WHOLE_AFTER_MS of the reader.
    if (offset === committed && isReady === isReadyStored) return;
    const [to, output] = [offset, Buffer.concat(pending)];
    pending = [];
    const kept = output.subarray(0, Math.max(0, most - committed));
    const read = ready ? { reader: ready.state(), ready: isReady } : { reader: run.reader };
    const progress = { ...key, follower: run.follower, from: committed, to, ...read, points: [] };
    if (!(await store.run.saveProgress({ ...progress, output: kept })))
      throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
    committed = to;
    isReadyStored = isReady;
  };
  // Commits run one at a time, in order: each starts from the offset of the commit before.
  const save = (): Promise<void> => (saving = saving.then(commit));
  return {
    points: [],
    from: run.logOffset,
    push({ chunk }) {
      pending.push(chunk);
      ready?.read(chunk);
      offset += chunk.length;
    },
    markPolled: () => undefined,
    broken: () => null,
    commit: save,
    flush: save,
    isReady: () => ready?.isReady() ?? false,
  };
}
