import { appendFile, mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HostConfigError } from '../../../compute.ts';
import { readOptional } from '../../../files.ts';
import { readPlain } from '../../../read-plain.ts';
import { fingerprint, knownTypes, parseKnownHosts, typeOf, checkKnownHosts } from './known-hosts.ts';
import type { Target } from './target.ts';

const ALGORITHMS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
] as const;
type Algorithm = (typeof ALGORITHMS)[number];

/** Check of a host's key. After a refusal, `problem` states the expected key, the received key and the remedy. */
export interface KeyCheck {
  /** Key algorithms to offer the host: first those of its known keys. */
  algorithms: Algorithm[];
  verify(key: Buffer): boolean;
  problem(): string | undefined;
  /** Stores a key of first use. Call it after the login, which proves that the host owns the key. */
  record(): Promise<void>;
}

/** Command of a manual login that stores the key in the file that is read here. Behind a jump host it needs -J. */
function loginTo({ user, address, port, knownHosts }: Target): string {
  const [file] = knownHosts;
  const fileOption =
    file === undefined || file === '/dev/null' || file.endsWith('/.ssh/known_hosts')
      ? ''
      : `-o UserKnownHostsFile='${file}' `;
  return `ssh ${fileOption}-p ${port} ${user}@${address} (add -J for a jump host)`;
}

/** Largest known_hosts file that is read. */
const MOST_KNOWN_BYTES = 64 * 1024 * 1024;

/** Reads a known_hosts file. `isVouched`: a configured fingerprint decides, so that an unreadable file is no error. */
async function readKnown(host: string, file: string, isVouched: boolean): Promise<string> {
  try {
    // ssh, too, takes /dev/null for an empty file.
    if ((await realpath(file)) === '/dev/null') return '';
    return (await readPlain(file, MOST_KNOWN_BYTES)).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return '';
    if (isVouched) return '';
    throw new HostConfigError(host, `known hosts ${file}: ${message}`);
  }
}

/** Makes the check of a target's key: by its configured fingerprint, else by its known_hosts files. */
export async function keyCheckOf(host: string, target: Target): Promise<KeyCheck> {
  const { knownName: name, knownHosts } = target;
  const isVouched = target.fingerprint !== undefined;
  const texts = await Promise.all(
    knownHosts.map(async (file) => ({ file, text: await readKnown(host, file, isVouched) })),
  );
  const known = texts.flatMap(({ file, text }) => parseKnownHosts(text, file));
  const types = knownTypes(known, name);
  const isOfKnownType = (algorithm: Algorithm): boolean =>
    types.includes(algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm);
  const first = ALGORITHMS.filter(isOfKnownType);
  let refusal: string | undefined;
  let firstSeen: Buffer | undefined;
  const judge = (key: Buffer): string | undefined => {
    const got = `${typeOf(key)} ${fingerprint(key)}`;
    if (target.fingerprint !== undefined)
      return target.fingerprint === fingerprint(key)
        ? undefined
        : `expected a host key with fingerprint ${target.fingerprint}; got ${got}. ` +
            `If the host was set up again, ask its administrator, then change the fingerprint`;
    const verdict = checkKnownHosts(known, name, key);
    switch (verdict.verdict) {
      case 'known':
        return undefined;
      case 'revoked':
        return `its host key ${got} is revoked in ${verdict.file}:${verdict.line}`;
      case 'changed':
        return (
          `its host key has changed: expected ${verdict.expected} (${verdict.file}:${verdict.line}); ` +
          `got ${got}. ` +
          `Somebody may intercept the connection. ` +
          `If the host was set up again, ask its administrator, then remove the old key ` +
          `(ssh-keygen -R '${name}' -f ${verdict.file}) and log in once with ${loginTo(target)}`
        );
      case 'unknown':
        if (target.acceptNew) {
          firstSeen = key;
          return undefined;
        }
        // A login by hand cannot store a key in /dev/null.
        const byHand = knownHosts[0] === '/dev/null' ? '' : `log in once with ${loginTo(target)}, or `;
        return (
          `its host key ${got} is not known: ${name} is not in ${knownHosts.join(', ')}. Compare the key with ` +
          `ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub on the host, then ${byHand}set hostKey in ` +
          'fleet.yaml: SHA256:… for the host itself, or first-use, which holds for its jump hosts, too'
        );
    }
  };
  return {
    algorithms: [...first, ...ALGORITHMS.filter((algorithm) => !first.includes(algorithm))],
    verify: (key) => {
      refusal = judge(key);
      return refusal === undefined;
    },
    problem: () => refusal,
    record: async () => {
      const [file] = knownHosts;
      if (!firstSeen || file === undefined) return;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      // If the last line has no end, the key would become part of it.
      const isOpen = /[^\n]$/.test((await readOptional(file)) ?? '');
      await appendFile(file, `${isOpen ? '\n' : ''}${name} ${typeOf(firstSeen)} ${firstSeen.toString('base64')}\n`, {
        mode: 0o600,
      });
      firstSeen = undefined;
    },
  };
}
