import { expect, test } from 'vitest';
import { ADDRESSES, parseAddress, uriOf, type Address } from '../../../domain/mcp/address.ts';

const ALL: Address[] = [
  { kind: 'skill' },
  { kind: 'task', researchId: 'nano-lm' },
  { kind: 'best', researchId: 'team/a b', path: 'src/train #1.py' },
  { kind: 'lead', researchId: 'x', path: 'a%2Fb.py' },
  { kind: 'trial', researchId: 'team/x', n: 12 },
  { kind: 'log', researchId: 'x', n: 1 },
  { kind: 'diff', researchId: 'x', n: 1 },
  { kind: 'file', researchId: 'team/x', n: 3, path: 'dir/train.py' },
];

test.each(ALL)('a URI leads back to its address: $kind', (address) => {
  expect(parseAddress(uriOf(address))).toEqual(address);
  // A client may normalize the URI.
  expect(parseAddress(new URL(uriOf(address)).href)).toEqual(address);
});

test('every kind of text has a template', () => {
  expect(Object.keys(ADDRESSES).sort()).toEqual(
    ALL.map(({ kind }) => kind)
      .filter((kind) => kind !== 'skill')
      .sort(),
  );
});

test.each([
  'http://127.0.0.1/',
  'perpetua://',
  'perpetua://skill/more',
  'perpetua://research/x',
  'perpetua://research/x/best',
  'perpetua://research/x/task/more',
  'perpetua://research//task',
  'perpetua://research/x/other/y',
  'perpetua://trial/x',
  'perpetua://trial/x/0',
  'perpetua://trial/x/one',
  'perpetua://trial/x/1/files',
  'perpetua://trial/x/1/log/more',
  'perpetua://trial/x/1/other',
  'perpetua://research/%E0%A4%A/task',
])('another text is no address: %s', (uri) => {
  expect(parseAddress(uri)).toBeNull();
});
