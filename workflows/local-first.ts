import { isCancellation } from '@temporalio/workflow';

/**
 * Does a short piece of work inside the workflow task, which saves a round trip through the server. Where that fails, it
 * is done as an ordinary activity, which waits, retries, and shows in the Web UI. Both must be keyed alike.
 */
export async function localFirst<R>(local: () => Promise<R>, ordinary: () => Promise<R>): Promise<R> {
  try {
    return await local();
  } catch (error) {
    if (isCancellation(error)) throw error;
    return ordinary();
  }
}
