/** Program of a thread that searches one artefact: posts the name of its thread, then what it found. */
import { readlinkSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { findCode } from '../../../domain/artefact/find-code.ts';
import { unpack } from './unpack.ts';

/** Message of the thread: its folder in /proc, null without one; then the description of the code. */
export type SearchMessage = { thread: string | null } | { found: string | null };

const post = (message: SearchMessage): void => parentPort?.postMessage(message);

post({ thread: threadFolder() });
// An artefact that breaks the search counts as code: a repeat would break again.
const found = await findCode(workerData as Uint8Array, unpack).catch(
  (error: unknown) => `a content that Perpetua cannot look into: ${error instanceof Error ? error.message : 'error'}`,
);
post({ found });

function threadFolder(): string | null {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}`;
  } catch {
    // This system has no /proc.
    return null;
  }
}
