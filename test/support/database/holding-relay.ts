import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A relay to Postgres that can hold one statement back, and reads how Postgres ended it. */
export interface HoldingRelay {
  /** URL of the database through the relay. */
  url: string;
  /** Holds back the next statement with these words, and all that follows it on its connection. */
  holdFirst(words: string): void;
  isHeld(): boolean;
  /**
   * Sends the held statement on. Resolves with the tag of each statement, such as `UPDATE 1`, once the connection is
   * idle.
   */
  letGo(): Promise<string[]>;
  close(): void;
}

interface Held {
  chunks: Buffer[];
  far: Socket;
}

/** Relays connections to the database of a URL. */
export async function startHoldingRelay(databaseUrl: string): Promise<HoldingRelay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let words: string | null = null;
  let held: Held | null = null;

  const keepsBack = (chunk: Buffer, far: Socket): boolean => {
    if (words !== null && chunk.includes(words)) {
      words = null;
      held = { chunks: [], far };
    }
    if (held?.far !== far) return false;
    held.chunks.push(chunk);
    return true;
  };
  const server = createServer((near) => {
    const far = connect({ port: Number(target.port), host: target.hostname });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay();
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      sockets.add(one);
    }
    near.on('data', (chunk) => void (keepsBack(chunk, far) || far.write(chunk)));
    far.on('data', (chunk) => near.write(chunk));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    holdFirst: (text) => void (words = text),
    isHeld: () => held !== null,
    letGo: async () => {
      if (!held) throw new Error('expected a statement to be held back');
      const { chunks, far } = held;
      held = null;
      const ended = untilIdle(far);
      far.write(Buffer.concat(chunks));
      return ended;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The tags of the statements that Postgres ends on a connection, until no transaction is open there. */
function untilIdle(far: Socket): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const tags: string[] = [];
    let unread = Buffer.alloc(0);
    far.on('close', () => reject(new Error('expected an answer of Postgres, the connection was closed')));
    far.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      // A message is its type, its length without the type, and its content.
      while (unread.length >= 5 && unread.length > unread.readInt32BE(1)) {
        const end = 1 + unread.readInt32BE(1);
        const type = String.fromCharCode(unread[0] ?? 0);
        const content = unread.toString('utf8', 5, end);
        unread = unread.subarray(end);
        if (type === 'E') reject(new Error(content.replaceAll('\0', ' ')));
        if (type === 'C') tags.push(content.replaceAll('\0', ''));
        if (type === 'Z' && content === 'I' && tags.length > 0) resolve(tags);
      }
    });
  });
}
