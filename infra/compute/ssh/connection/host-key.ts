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

/** Decides on a host's key. `problem` says, after a refusal, what was expected, what came and what to do. */
export interface KeyCheck {
  /** What to ask the host for, the kinds that we know first. */
  algorithms: Algorithm[];
  verify(key: Buffer): boolean;
  problem(): string | undefined;
  /** Call it when we are in, which only the owner of the key can bring about: writes down a key of first use. */
  record(): Promise<void>;
}

/** A login by hand whose question is answered into the file that we read; behind a jump host it needs -J as well. */
function loginTo({ user, address, port, knownHosts }: Target): string {
  const [file] = knownHosts;
  const into =
    file === undefined || file === '/dev/null' || file.endsWith('/.ssh/known_hosts')
      ? ''
      : `-o UserKnownHostsFile='${file}' `;
  return `ssh ${into}-p ${port} ${user}@${address} (with -J where it lies behind a jump host)`;
}

const MOST_KNOWN_BYTES = 64 * 1024 * 1024;

/** `isVouched`: a fingerprint that we were told speaks for the host, whatever is in there. */
async function readKnown(host: string, file: string, isVouched: boolean): Promise<string> {
  try {
    // As for ssh, nobody's.
    if ((await realpath(file)) === '/dev/null') return '';
    return (await readPlain(file, MOST_KNOWN_BYTES)).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return '';
    if (isVouched) return '';
    throw new HostConfigError(host, `known hosts ${file}: ${message}`);
  }
}

/** Reads what is known of a target's key: a fingerprint that we were told, else its known_hosts files. */
export async function keyCheckOf(host: string, target: Target): Promise<KeyCheck> {
  const { knownName: name, knownHosts } = target;
  const isVouched = target.fingerprint !== undefined;
  const texts = await Promise.all(
    knownHosts.map(async (file) => ({ file, text: await readKnown(host, file, isVouched) })),
  );
  const known = texts.flatMap(({ file, text }) => parseKnownHosts(text, file));
  const types = knownTypes(known, name);
  const first = ALGORITHMS.filter((one) => types.includes(one.startsWith('rsa-') ? 'ssh-rsa' : one));
  let refusal: string | undefined;
  let firstSeen: Buffer | undefined;
  const judge = (key: Buffer): string | undefined => {
    const got = `${typeOf(key)} ${fingerprint(key)}`;
    if (target.fingerprint !== undefined)
      return target.fingerprint === fingerprint(key)
        ? undefined
        : `expected a host key with fingerprint ${target.fingerprint}; it showed ${got}. If the host was set up anew, ` +
            `ask who runs it, then change the fingerprint`;
    const verdict = checkKnownHosts(known, name, key);
    switch (verdict.verdict) {
      case 'known':
        return undefined;
      case 'revoked':
        return `its key ${got} is revoked in ${verdict.file}:${verdict.line}`;
      case 'changed':
        return (
          `its host key has changed: expected ${verdict.expected} (${verdict.file}:${verdict.line}); it showed ${got}. ` +
          `Somebody may sit in between. If the host was set up anew, ask who runs it, then forget the old key ` +
          `(ssh-keygen -R '${name}' -f ${verdict.file}) and log in once with ${loginTo(target)}`
        );
      case 'unknown':
        if (target.acceptNew) {
          firstSeen = key;
          return undefined;
        }
        // Nothing can be written down there.
        const byHand = knownHosts[0] === '/dev/null' ? '' : `log in once with ${loginTo(target)}, or `;
        return (
          `nobody has vouched for its host key ${got}: ${name} is not in ${knownHosts.join(', ')}. Compare it with ` +
          `ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub on the host, then ${byHand}set hostKey in the ` +
          'fleet.yaml: first-use, which holds for jump hosts on the way, too, or SHA256:…, which is for the host itself'
        );
    }
  };
  return {
    algorithms: [...first, ...ALGORITHMS.filter((one) => !first.includes(one))],
    verify: (key) => {
      refusal = judge(key);
      return refusal === undefined;
    },
    problem: () => refusal,
    record: async () => {
      const [file] = knownHosts;
      if (!firstSeen || file === undefined) return;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      // Behind a last line that was left open it would be part of that one.
      const isOpen = /[^\n]$/.test((await readOptional(file)) ?? '');
      await appendFile(file, `${isOpen ? '\n' : ''}${name} ${typeOf(firstSeen)} ${firstSeen.toString('base64')}\n`, {
        mode: 0o600,
      });
      firstSeen = undefined;
    },
  };
}
