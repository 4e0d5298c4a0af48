import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  knownName,
  knownTypes,
  parseKnownHosts,
  checkKnownHosts,
} from '../../../../../infra/compute/ssh/connection/known-hosts.ts';

/** A key in wire format: its type, then its bytes. */
function keyOf(bytes: string, type = 'ssh-ed25519'): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  return Buffer.concat([length, Buffer.from(type), Buffer.from(bytes)]);
}
const line = (names: string, key: Buffer, type = 'ssh-ed25519'): string => `${names} ${type} ${key.toString('base64')}`;
const [a, b] = [keyOf('a'), keyOf('b')];
const salt = Buffer.from('0123456789abcdefghij');
const hashed = (name: string): string =>
  `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;

it.each([
  ['a plain name', line('box', a), 'known'],
  ['one of several names', line('other,box,10.0.0.1', a), 'known'],
  ['a pattern', line('b?x*', a), 'known'],
  ['a hashed name', line(hashed('box'), a), 'known'],
  [
    'a comment and a key of an authority',
    `# ${line('box', b)}\n@cert-authority ${line('box', b)}\n${line('box', a)}`,
    'known',
  ],
  ['two keys', `${line('box', b)}\n${line('box', a)} comment`, 'known'],
  ['nothing', '', 'unknown'],
  ['another name', line('boxes', a), 'unknown'],
  ['a name with other signs for a dot', line('b.x', a), 'unknown'],
  ['a pattern that takes it out', line('b*,!box', a), 'unknown'],
  ['another hash', line(hashed('boxes'), a), 'unknown'],
  ['another key', line('box', b), 'changed'],
  ['a key of another kind', line('box', keyOf('r', 'ssh-rsa'), 'ssh-rsa'), 'changed'],
  ['the key, taken back', `${line('box', a)}\n@revoked ${line('*', a)}`, 'revoked'],
])('judges a key by known_hosts with %s', (_, text, verdict) => {
  expect(checkKnownHosts(parseKnownHosts(text, 'file'), 'box', a)).toMatchObject({ verdict });
});

it('names the line of the key that was expected, and the kinds that are known', () => {
  const rsa = keyOf('r', 'ssh-rsa');
  const known = parseKnownHosts(`\n${line('box', rsa, 'ssh-rsa')}\n${line('box', b)}`, 'file');
  expect(checkKnownHosts(known, 'box', a)).toMatchObject({ verdict: 'changed', file: 'file', line: 3 });
  expect(knownTypes(known, 'box')).toEqual(['ssh-rsa', 'ssh-ed25519']);
});

it('names a host with its port unless that is the usual one', () => {
  expect(knownName('Box', 22)).toBe('box');
  expect(knownName('box', 2222)).toBe('[box]:2222');
});
