import type { Channel } from './channel.ts';
import { ConnectionLostError } from '../connection/connection.ts';

/**
 * Returns a function that writes chunks to a channel. When `finished` resolves, pending and later writes reject with
 * ConnectionLostError. Nothing is kept of a chunk that was written.
 */
export function writerTo(
  channel: Channel,
  { finished, host }: { finished: Promise<unknown>; host: string },
): (chunk: Uint8Array) => Promise<void> {
  const waiting = new Set<(error: Error) => void>();
  let isFinished = false;
  const lost = (): Error =>
    new ConnectionLostError(host, 'closed', { message: 'the program has ended, or the connection was lost' });
  void finished.then(() => {
    isFinished = true;
    for (const reject of waiting) reject(lost());
  });
  return (chunk) =>
    new Promise((resolve, reject) => {
      if (isFinished) return reject(lost());
      waiting.add(reject);
      channel.write(chunk, (error?: Error | null) => {
        waiting.delete(reject);
        if (error) reject(error);
        else resolve();
      });
    });
}
