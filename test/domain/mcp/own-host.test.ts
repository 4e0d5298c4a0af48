import { expect, test } from 'vitest';
import { isOwnHost, isOwnOrigin } from '../../../domain/mcp/own-host.ts';

test.each(['127.0.0.1', '127.0.0.1:8123', 'localhost:1', 'LOCALHOST', '[::1]:8123'])('%s is this server', (host) => {
  expect(isOwnHost(host)).toBe(true);
  expect(isOwnOrigin(`http://${host}`)).toBe(true);
});

test.each(['', 'evil.example', 'evil.example:8123', '127.0.0.1.evil.example', 'localhost@evil.example', '10.0.0.1:80'])(
  '%j is another host',
  (host) => {
    expect(isOwnHost(host)).toBe(false);
    expect(isOwnOrigin(`http://${host}`)).toBe(false);
  },
);

test('a request without an origin is from no web page, and a page without an address is foreign', () => {
  expect(isOwnOrigin(null)).toBe(true);
  expect(isOwnOrigin('null')).toBe(false);
});
