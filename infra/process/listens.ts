import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { PS_OPTIONS } from './identity.ts';
import { treeOf } from './list.ts';

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = '0A';

/** True if the process or a descendant listens on the port of 127.0.0.1. The process belongs to this user. */
export const listens = (pid: number, port: number): boolean =>
  process.platform === 'linux' ? fromProc(pid, port) : treeOf(pid).some((one) => fromLsof(one, port));

function fromProc(pid: number, port: number): boolean {
  const inode = listeningInode(port);
  return inode !== undefined && treeOf(pid).some((one) => holds(one, `socket:[${inode}]`));
}

function listeningInode(port: number): string | undefined {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const fields = rows.map((row) => row.trim().split(/\s+/));
  return fields.find(([, local, , state]) => local === address && state === LISTEN)?.[9];
}

function holds(pid: number, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === socket);
  } catch {
    return false; // the process ended meanwhile
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // the file was closed meanwhile
  }
}

function fromLsof(pid: number, port: number): boolean {
  try {
    execFileSync('lsof', ['-a', '-p', String(pid), `-iTCP:${port}`, '-sTCP:LISTEN', '-t'], PS_OPTIONS);
    return true;
  } catch {
    return false; // lsof exits with 1 if it finds nothing
  }
}
