import type { Channel } from './channel.ts';
import { HostUnusableError } from '../../../compute.ts';
import { newMark } from './call.ts';
import { ConnectionLostError } from '../connection/connection.ts';
import { exitOf } from './exit.ts';
import { frameReader, type Frame } from './frames.ts';
import type { Link } from './link.ts';
import { shellCommand } from './shell-command.ts';

/**
 * Opens a channel that reports runs, and waits until the host accepts orders. Throws a host error: ConnectionLostError
 * after `silenceSeconds` without an answer.
 */
export async function openFollowChannel(
  link: Link,
  onFrame: (source: Channel, frame: Frame) => void,
  { silenceSeconds }: { silenceSeconds: number },
): Promise<Channel> {
  // Installs the script again if it was removed.
  await link.call({ verb: 'facts' });
  const { script, words, shell } = await link.words({ verb: 'follow' });
  const { halves, mark } = newMark();
  const channel = await link.connection.exec('follow', shellCommand([...script, ...halves, ...words], shell));
  const reader = frameReader(mark);
  let stderr = '';
  channel.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString('utf8')).slice(-2048)));
  let timer: NodeJS.Timeout | undefined;
  return new Promise<Channel>((resolve, reject) => {
    timer = setTimeout(() => {
      const message = `the channel that reports runs sent nothing for ${silenceSeconds} s`;
      reject(new ConnectionLostError(link.host, 'timeout', { message }));
      link.connection.abandon(channel, { hangs: true });
    }, silenceSeconds * 1000).unref();
    const handleFrame = (frame: Frame): void => {
      link.connection.noteAnswer();
      if (frame.type === 'send') resolve(channel);
      else if (frame.type === 'fail') reject(new HostUnusableError(link.host, frame.payload.toString('utf8')));
      else onFrame(channel, frame);
    };
    channel.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk).forEach(handleFrame);
      } catch {
        // After a malformed frame nothing can be parsed. Another channel goes on from the offsets of the runs.
        channel.close();
      }
    });
    channel.on('error', () => undefined);
    channel.once('close', () => {
      const exit = exitOf(channel).code;
      const message = `the channel that reports runs ended with exit code ${exit}: ${stderr.trim()}`;
      reject(
        typeof exit === 'number'
          ? new HostUnusableError(link.host, message)
          : new ConnectionLostError(link.host, 'closed', { message: 'the connection was lost' }),
      );
    });
  }).finally(() => clearTimeout(timer));
}
