import type { Channel } from './channel.ts';
import { HostUnusableError } from '../../../compute.ts';
import { newMark } from './call.ts';
import { ConnectionLostError } from '../connection/connection.ts';
import { exitOf } from './exit.ts';
import { frameReader, type Frame } from './frames.ts';
import type { Link } from './link.ts';
import { shellCommand } from './shell-command.ts';

/**
 * Opens a channel that reports runs and waits until the host takes orders. Throws a host error; ConnectionLostError where the
 * host's end says nothing for so long.
 */
export async function openFollowChannel(
  link: Link,
  take: (from: Channel, frame: Frame) => void,
  { silenceSeconds }: { silenceSeconds: number },
): Promise<Channel> {
  // Brings the script back where it was removed.
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
      const message = `the channel that reports runs said nothing in ${silenceSeconds} s`;
      reject(new ConnectionLostError(link.host, 'timeout', { message }));
      link.connection.abandon(channel, { hangs: true });
    }, silenceSeconds * 1000).unref();
    const hear = (frame: Frame): void => {
      link.connection.heard();
      if (frame.type === 'send') resolve(channel);
      else if (frame.type === 'fail') reject(new HostUnusableError(link.host, frame.payload.toString('utf8')));
      else take(channel, frame);
    };
    channel.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk).forEach(hear);
      } catch {
        // What comes makes no sense: from here on nothing would. The runs go on from their offsets in another channel.
        channel.close();
      }
    });
    channel.on('error', () => undefined);
    channel.once('close', () => {
      const exit = exitOf(channel).code;
      reject(
        typeof exit === 'number'
          ? new HostUnusableError(link.host, `follow: ended with ${exit}: ${stderr.trim()}`)
          : new ConnectionLostError(link.host, 'closed', { message: 'the connection was lost' }),
      );
    });
  }).finally(() => clearTimeout(timer));
}
