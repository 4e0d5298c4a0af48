import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { secretPlace } from '../../domain/notify/secret.ts';
import type { Environment } from '../network/proxy.ts';
import { SinkError } from './sink-adapter.ts';

/** Largest file of a secret, in bytes. */
const LARGEST = 16_384;

/** Reads a secret from the place that a sink names. Throws SinkError, which names the place and not the secret. */
export async function readSecret(text: string, env: Environment): Promise<string> {
  const place = secretPlace(text);
  if (place === null)
    throw new SinkError('expected the place of a secret, $NAME or file:/path; apply notify.yaml again');
  const secret = 'variable' in place ? env[place.variable] : await readFile(place.file);
  const value = secret?.trim() ?? '';
  if (value !== '') return value;
  throw new SinkError(
    'variable' in place
      ? `expected the variable ${place.variable} in the environment of the worker, found none; ` +
          'set it, then restart the worker (npx perpetua down, then npx perpetua up)'
      : `expected a secret in ${place.file}, found an empty file`,
  );
}

async function readFile(path: string): Promise<string> {
  // O_NONBLOCK: a pipe without a writer would block a thread for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new SinkError(`expected a file ${path} with a secret; ${(error as NodeJS.ErrnoException).code ?? 'no file'}`);
  });
  try {
    const info = await file.stat();
    if (!info.isFile() || (info.mode & 0o077) !== 0)
      throw new SinkError(`expected only the owner to be able to read ${path}; run: chmod 600 ${path}`);
    if (info.size > LARGEST) throw new SinkError(`expected a secret of at most ${LARGEST} bytes in ${path}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
