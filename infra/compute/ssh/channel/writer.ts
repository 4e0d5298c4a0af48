import type { Channel } from './channel.ts';
import { ConnectionLostError } from '../connection/connection.ts';

/**
 * Returns a function that writes chunks to a channel. When `over` resolves, pending and later writes reject with
 * ConnectionLostError. Nothing is kept of a chunk that was written.
 */
export function writerTo(
  channel: Channel,
  { over, host }: { over: Promise<unknown>; host: string },
): (chunk: Uint8Array) => Promise<void> {
  const waiting = new Set<(error: Error) => void>();
  let isOver = false;
  const gone = (): Error =>
    new ConnectionLostError(host, 'closed', { message: 'the program has ended, or the connection was lost' });
  void over.then(() => {
    isOver = true;
    for (const reject of waiting) reject(gone());
  });
  return (chunk) =>
    new Promise((resolve, reject) => {
      if (isOver) return reject(gone());
      waiting.add(reject);
      channel.write(chunk, (error?: Error | null) => {
        waiting.delete(reject);
        if (error) reject(error);
        else resolve();
      });
    });
}
