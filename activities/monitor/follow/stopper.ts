import { ApplicationFailure } from '@temporalio/activity';
import type { Run } from '../../../db/run/run.ts';
import type { Store } from '../../../db/store.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { Compute } from '../../../infra/compute.ts';

/** Stops a run, once: the first decision is stored before it is carried out, and later decisions are dropped. */
export interface Stopper {
  /** Stores the decision, then carries it out: TERM, grace, KILL of the tree on the host. */
  decide: (failure: Failure) => void;
  /** Stores the decision about a run that has ended by itself. */
  note(failure: Failure): Promise<void>;
  /** Drops later decisions. Resolves when the decision is carried out; rejects if that failed. */
  done(): Promise<void>;
}

export function createStopper(from: {
  store: Store;
  compute: Compute;
  key: { jobId: string; placement: number };
  run: Run;
  /** Called if a decision could not be carried out. */
  fail: (error: unknown) => void;
}): Stopper {
  const { store, compute, key, run, fail } = from;
  let stopping: Promise<void> | undefined;
  let over = false;

  const note = async (failure: Failure): Promise<void> => {
    const stop = await store.run.saveStop({ ...key, follower: run.follower, stop: failure });
    if (!stop) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
  };

  const stop = async (failure: Failure): Promise<void> => {
    await note(failure);
    await compute.kill(key, run.fence);
  };

  return {
    decide: (failure) => {
      if (over) return;
      stopping ??= stop(failure);
      stopping.catch(fail);
    },
    note,
    done: async () => {
      over = true;
      await stopping;
    },
  };
}
