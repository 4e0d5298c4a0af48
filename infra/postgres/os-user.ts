import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/** A user of the operating system. */
export interface OsUser {
  name: string;
  uid: number;
  gid: number;
}

/** Postgres refuses to run as root, and no other user is available. */
export class NoPostgresUserError extends Error {
  override readonly name = 'NoPostgresUserError';
}

// Not `nobody`: other programs of that user could read the data.
const OWN = 'perpetua-postgres';

/** User of Postgres: null for the current user; for root, the owner of the data, `postgres`, or a new system user. */
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

/** Throws if the current user has no name: Postgres looks it up and does not start without it. */
function requireName(): void {
  try {
    userInfo();
  } catch (error) {
    throw new NoPostgresUserError(
      `Expected the user ${process.getuid?.()} to have a name (an entry in /etc/passwd), which Postgres needs; ` +
        'found none. Add one (in a container: run as a user that its image has), ' +
        'or set DATABASE_URL to a Postgres of your own.',
      { cause: error },
    );
  }
}

/** True if the user can read and execute the path. Tests it as that user, since modes alone do not tell. */
export function canReach(user: OsUser | null, path: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'sh', path], asUser(user)).status === 0;
}

/** True if the user can pass through the folder, whether or not the user may list it. */
export const canPass = (user: OsUser, folder: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], asUser(user)).status === 0;

/** Options of spawn for a child process of that user. */
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
      'Expected a user for Postgres, which never runs as root; ' +
        `\`useradd ${OWN}\` failed: ${(error as Error).message.trim()}. ` +
        'Create a user named postgres, run as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
      { cause: error },
    );
  }
  const made = named(OWN);
  if (!made) throw new NoPostgresUserError(`Expected user ${OWN} in /etc/passwd after \`useradd\`, found none.`);
  return made;
}

/** The user of that name in /etc/passwd. */
const named = (name: string): OsUser | undefined => users().find((user) => user.name === name);

function users(): OsUser[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name, , uid, gid]) => (name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []));
}
