import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** One line of a known_hosts file that is of use. */
interface KnownKey {
  file: string;
  line: number;
  revoked: boolean;
  patterns: string;
  type: string;
  key: Buffer;
}

/** What the known_hosts files say of a key that a host showed. */
export type KnownHostsVerdict =
  | { verdict: 'known' }
  | { verdict: 'unknown' }
  | { verdict: 'revoked'; file: string; line: number }
  | { verdict: 'changed'; file: string; line: number; expected: string };

/** Reads known_hosts text; certificate authorities and what cannot be read are passed over. */
export function parseKnownHosts(text: string, file: string): KnownKey[] {
  return text.split('\n').flatMap((row, index) => {
    const words = row.trim().split(/\s+/);
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
    const [patterns, type, key] = words;
    if (!patterns || patterns.startsWith('#') || !type || !key || (marker && marker !== '@revoked')) return [];
    const line = index + 1;
    return [{ file, line, revoked: marker !== undefined, patterns, type, key: Buffer.from(key, 'base64') }];
  });
}

/** The name under which a host stands in known_hosts. */
export const knownName = (host: string, port: number): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;

/** Compares a host's key with all that is known under its name. */
export function checkKnownHosts(known: KnownKey[], name: string, key: Buffer): KnownHostsVerdict {
  const own = known.filter(({ patterns }) => names(patterns, name));
  const revoked = known.find((one) => one.revoked && one.key.equals(key));
  if (revoked) return { verdict: 'revoked', file: revoked.file, line: revoked.line };
  const good = own.filter((one) => !one.revoked);
  if (good.some((one) => one.key.equals(key))) return { verdict: 'known' };
  const type = typeOf(key);
  const other = good.find((one) => one.type === type) ?? good[0];
  if (!other) return { verdict: 'unknown' };
  return { verdict: 'changed', file: other.file, line: other.line, expected: fingerprint(other.key) };
}

/** Types of the keys that are known under a name: a host with several must show one of these. */
export const knownTypes = (known: KnownKey[], name: string): string[] => [
  ...new Set(known.filter((one) => !one.revoked && names(one.patterns, name)).map(({ type }) => type)),
];

/** As `ssh-keygen -l` prints it. */
export const fingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** The type that a key in wire format names. */
export function typeOf(key: Buffer): string {
  const length = key.length >= 4 ? key.readUInt32BE(0) : 0;
  return key.toString('latin1', 4, 4 + Math.min(length, 64));
}

function names(patterns: string, name: string): boolean {
  if (patterns.startsWith('|1|')) return isHashOf(patterns, name);
  let matched = false;
  for (const pattern of patterns.split(',')) {
    const negated = pattern.startsWith('!');
    if (!globOf(negated ? pattern.slice(1) : pattern).test(name)) continue;
    if (negated) return false;
    matched = true;
  }
  return matched;
}

function isHashOf(hashed: string, name: string): boolean {
  const [, , salt = '', hash = ''] = hashed.split('|');
  const wanted = Buffer.from(hash, 'base64');
  const got = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest();
  return wanted.length === got.length && timingSafeEqual(wanted, got);
}

const globOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .toLowerCase()
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.')}$`,
  );
