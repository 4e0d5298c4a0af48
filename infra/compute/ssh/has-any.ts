import type { RunRef } from '../../compute.ts';
import { runName } from '../run-protocol/paths.ts';
import type { SshContext } from './context.ts';

/** Whether one of these runs was begun on this very machine, and its directory is still there. */
export async function hasAny(context: SshContext, runs: readonly RunRef[]): Promise<boolean> {
  return (await context.link.ask({ verb: 'has', words: runs.map(runName) })).length > 0;
}
