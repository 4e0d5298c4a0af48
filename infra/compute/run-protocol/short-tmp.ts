import { randomUUID } from 'node:crypto';

/**
 * Path of a link to the temporary folder of a run without a sandbox, whose own path is too long for Unix sockets: a
 * socket's name has at most 107 bytes, and Python's multiprocessing adds 32. The supervisor makes the link and removes
 * it. Nobody can guess the path, and in a folder with the sticky bit no other user can replace the link.
 */
export const newShortTmp = (): string => `/tmp/pt-${randomUUID().replaceAll('-', '').slice(0, 10)}`;

/** True for a path that `newShortTmp` made: the file that names it may be written by a run. */
export const isShortTmp = (path: string): boolean => /^\/tmp\/pt-[0-9a-f]{10}$/.test(path);
