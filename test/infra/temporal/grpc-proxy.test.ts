import { expect, test } from 'vitest';
import { grpcProxyOf } from '../../../infra/temporal/grpc-proxy.ts';

const PROXY = 'http://me:p%40ss@proxy.example:3128';
const addressFor = (address: string, env: Record<string, string>): string | undefined =>
  grpcProxyOf(address, env)?.address;

test.each([
  '127.0.0.1:7233',
  '127.1.2.3:7233',
  'localhost:7233',
  'temporal.localhost:7233',
  '0.0.0.0:7233',
  '[::1]:7233',
  '[::]:7233',
])('a server of this machine at %s is never reached by a proxy', (address) => {
  for (const name of ['grpc_proxy', 'https_proxy', 'http_proxy'])
    expect(grpcProxyOf(address, { [name]: PROXY })).toBeNull();
});

test('the first variable that is set names the proxy, with its credentials', () => {
  const env = { grpc_proxy: '', https_proxy: PROXY, http_proxy: 'http://other:1' };
  expect(grpcProxyOf('temporal.example:7233', env)).toEqual({
    address: 'proxy.example:3128',
    credentials: { username: 'me', password: 'p@ss' },
    variable: 'https_proxy',
  });
  expect(addressFor('temporal.example:7233', { ...env, grpc_proxy: 'http://first' })).toBe('first:80');
});

test.each([
  ['temporal.example', 'temporal.example:7233'],
  ['.example', 'temporal.example:7233'],
  ['10.0.0.0/8', '10.1.2.3:7233'],
  ['other.example,10.1.2.3', '10.1.2.3:7233'],
  ['*', 'temporal.example:7233'],
])('the exclusion %s makes %s direct', (entries, address) => {
  expect(addressFor(address, { http_proxy: PROXY })).toBe('proxy.example:3128');
  expect(addressFor(address, { http_proxy: PROXY, no_proxy: entries })).toBeUndefined();
  expect(addressFor(address, { http_proxy: PROXY, no_proxy: entries, no_grpc_proxy: 'x' })).toBeDefined();
});

test.each(['socks5://proxy:1080', 'https://proxy:443', 'proxy:3128', 'nonsense'])(
  'a proxy that no client of gRPC supports (%s) is left out',
  (proxy) => {
    expect(grpcProxyOf('temporal.example:7233', { https_proxy: proxy })).toBeNull();
  },
);
