import { createHash } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PolicyError } from '../policy.ts';
import { checkpointsIn } from './checkpoints.ts';

/** Linux keeps 108 bytes of a socket's path, macOS 104, both with a zero at the end. */
const LONGEST = 103;

/** Paths of one model's server in one home. */
export interface ServerPaths {
  /** Name of the model. */
  base: string;
  folder: string;
  socket: string;
  /** Lock file with the process id of the server, which holds it while it lives. */
  lock: string;
  /** Output of the server, and of the conversion of its model. */
  log: string;
  checkpoints: string;
  batches: string;
}

/** Paths of a model's server. Throws {@link PolicyError} (down) if the socket's path would be too long. */
export function serverPaths(home: string, base: string): ServerPaths {
  const name = createHash('sha256').update(base).digest('hex').slice(0, 12);
  const folder = join(home, 'policies', name);
  const socket = join(folder, 'policy.sock');
  const length = Buffer.byteLength(socket);
  if (length > LONGEST)
    throw new PolicyError(
      `expected a socket's path of at most ${LONGEST} bytes, got ${length}: ${socket}; ` +
        'set PERPETUA_HOME to a shorter path',
      { kind: 'down' },
    );
  return {
    base,
    folder,
    socket,
    lock: join(folder, 'policy.lock'),
    log: join(folder, 'server.log'),
    checkpoints: checkpointsIn(home),
    batches: join(home, 'batches'),
  };
}

/** Makes the server's folder, which only its owner can enter. */
export async function makeServerFolder({ folder }: ServerPaths): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}
