import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A user of this machine, by number. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/** Finds or makes a system user of that name, with options for useradd. Needs root. */
export async function ensureUser(name: string, options: string[]): Promise<SystemUser> {
  for (let tries = 0; ; tries += 1) {
    const user = userNamed(name);
    if (user) return user;
    try {
      execFileSync('useradd', ['--system', '--no-create-home', ...options, name], { stdio: 'pipe' });
    } catch (error) {
      // Another test file may be making the user, and locks the file of users meanwhile.
      if (tries === 20 && !userNamed(name)) throw error;
      await sleep(500);
    }
  }
}

function userNamed(name: string): SystemUser | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name}:`));
  const [uid, gid] = line?.split(':').slice(2, 4).map(Number) ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
