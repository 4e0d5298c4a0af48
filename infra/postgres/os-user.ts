import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/** A user of the operating system. */
export interface OsUser {
  name: string;
  uid: number;
  gid: number;
}

/** Postgres will not run as root, and no other user could be had. */
export class NoPostgresUserError extends Error {
  override readonly name = 'NoPostgresUserError';
}

// Not `nobody`: what else runs as that user could read the data.
const OWN = 'perpetua-postgres';

/** Who Postgres runs as: null for ourselves; as root the owner of the data, `postgres`, or a system user made for it. */
export function postgresUser(ownerUid: number | null): OsUser | null {
  if (process.getuid?.() !== 0) {
    requireName();
    return null;
  }
  const owner = ownerUid === null ? undefined : users().find((user) => user.uid === ownerUid);
  const user = (owner?.uid === 0 ? undefined : owner) ?? named('postgres') ?? named(OWN) ?? createUser();
  if (!canBecome(user))
    throw new NoPostgresUserError(
      `Expected root to be able to run Postgres as ${user.name} (uid ${user.uid}), which is refused here ` +
        '(a container that maps only root?). Run as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
    );
  return user;
}

/** Postgres looks its user's name up, and does not start without one. */
function requireName(): void {
  try {
    userInfo();
  } catch (error) {
    throw new NoPostgresUserError(
      `Expected the user ${process.getuid?.()} to have a name (an entry in /etc/passwd), which Postgres needs; found none. ` +
        'Add one (in a container: run as a user that its image has), or set DATABASE_URL to a Postgres of your own.',
      { cause: error },
    );
  }
}

/** True if that user can read and execute the path; always asked of the system, never guessed from modes. */
export function canReach(user: OsUser | null, path: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'sh', path], asUser(user)).status === 0;
}

/** Options of spawn that make a child that user's. */
export const asUser = (user: OsUser | null): { uid?: number; gid?: number; cwd: string } =>
  user ? { uid: user.uid, gid: user.gid, cwd: '/' } : { cwd: '/' };

function canBecome(user: OsUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'exit 0'], asUser(user)).status === 0;
}

function createUser(): OsUser {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', OWN], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    throw new NoPostgresUserError(
      `Expected a user for Postgres, which never runs as root; \`useradd ${OWN}\` failed: ${(error as Error).message.trim()}. ` +
        'Create a user named postgres, run as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
      { cause: error },
    );
  }
  const made = named(OWN);
  if (!made) throw new NoPostgresUserError(`Expected user ${OWN} in /etc/passwd after \`useradd\`, found none.`);
  return made;
}

const named = (name: string): OsUser | undefined => users().find((user) => user.name === name);

function users(): OsUser[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name, , uid, gid]) => (name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []));
}
