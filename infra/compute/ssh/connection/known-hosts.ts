import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** One key of a known_hosts file. */
interface KnownKey {
  file: string;
  line: number;
  revoked: boolean;
  patterns: string;
  type: string;
  key: Buffer;
}

/** Verdict of the known_hosts files on a key that a host presented. */
export type KnownHostsVerdict =
  | { verdict: 'known' }
  | { verdict: 'unknown' }
  | { verdict: 'revoked'; file: string; line: number }
  | { verdict: 'changed'; file: string; line: number; expected: string };

/** Parses known_hosts text; skips certificate authorities and malformed lines. */
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

/** Name of a host in known_hosts. */
export const knownName = (host: string, port: number): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;

/** Compares a host's key with the known keys of its name. */
export function checkKnownHosts(known: KnownKey[], name: string, key: Buffer): KnownHostsVerdict {
  const named = known.filter(({ patterns }) => matchesName(patterns, name));
  const revoked = known.find((entry) => entry.revoked && entry.key.equals(key));
  if (revoked) return { verdict: 'revoked', file: revoked.file, line: revoked.line };
  const good = named.filter((entry) => !entry.revoked);
  if (good.some((entry) => entry.key.equals(key))) return { verdict: 'known' };
  const type = typeOf(key);
  const other = good.find((entry) => entry.type === type) ?? good[0];
  if (!other) return { verdict: 'unknown' };
  return { verdict: 'changed', file: other.file, line: other.line, expected: fingerprint(other.key) };
}

/** Types of the known keys of a name: a host with several keys must present one of these. */
export const knownTypes = (known: KnownKey[], name: string): string[] => [
  ...new Set(known.filter((entry) => !entry.revoked && matchesName(entry.patterns, name)).map(({ type }) => type)),
];

/** Fingerprint of a key, as `ssh-keygen -l` prints it. */
export const fingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** Type that a key in wire format names. */
export function typeOf(key: Buffer): string {
  const length = key.length >= 4 ? key.readUInt32BE(0) : 0;
  return key.toString('latin1', 4, 4 + Math.min(length, 64));
}

/** True if a name matches the patterns of a known_hosts line, which may be hashed. */
function matchesName(patterns: string, name: string): boolean {
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
