import { expect, test } from 'vitest';
import { whyFailed } from '../../../infra/python/why-failed.ts';

const python = { version: '3.9.18', folder: '/usr', path: '/usr/bin/python3.9', build: 'b' };
const there = { machine: 'Linux x86_64', fits: { ...python, version: '3.11.2' }, others: [] };
const lacks = { machine: 'Linux x86_64', fits: null, others: [python] };
const of = { host: 'box', version: '3.11', lock: 'requirements.lock' };

test('a Python that is neither there nor to be had is told with those that are there', () => {
  const said = 'fetching Python 3.11\nerror: Failed to download https://example.org/cpython\n';
  expect(whyFailed({ ...of, found: lacks, said })).toBe(
    'environment.python: expected Python 3.11 on box, found 3.9.18 in /usr, and uv could not fetch it ' +
      '(error: Failed to download https://example.org/cpython); install Python 3.11 there, or set environment.python to one that is there',
  );
});

test('a host that reaches no index is told apart from a lock that does not install', () => {
  const away = 'error: Failed to fetch: `https://index.example/simple/six/`\n  Caused by: dns error';
  expect(whyFailed({ ...of, found: there, said: away })).toMatch(
    /^environment\.lock: expected a package index that box reaches, reached none \(.*dns error\)/,
  );
  expect(whyFailed({ ...of, found: there, said: 'error: Hash mismatch for six' })).toBe(
    'environment.lock: expected requirements.lock to install on box; uv says: error: Hash mismatch for six',
  );
});
