import { expect, test } from 'vitest';
import { keepLocalDirect } from '../../config/keep-local-direct.ts';

/** The environment after the call. */
function kept(env: Record<string, string>): Record<string, string | undefined> {
  keepLocalDirect(env);
  return env;
}
const LOCAL = 'localhost,127.0.0.1,127.0.0.0/8,::1,[::1]';

test.each(['http_proxy', 'https_proxy', 'grpc_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])(
  '%s leaves the addresses of this machine direct, for programs that read either case',
  (name) => {
    const env = kept({ [name]: 'http://proxy:3128' });
    expect([env.no_proxy, env.NO_PROXY, env[name]]).toEqual([LOCAL, LOCAL, 'http://proxy:3128']);
  },
);

test('the entries of the user stay in both cases, without empty ones, which gRPC takes for every host', () => {
  const env = kept({ https_proxy: 'http://p:1', no_proxy: 'a.example, .b.example,', NO_PROXY: 'c.example,127.0.0.1' });
  const entries = `a.example,.b.example,c.example,127.0.0.1,localhost,127.0.0.0/8,::1,[::1]`;
  expect([env.no_proxy, env.NO_PROXY]).toEqual([entries, entries]);
  expect(kept({ ...env } as Record<string, string>)).toEqual(env);
});

test('the list of gRPC alone, which replaces the other one, has the local addresses, too', () => {
  expect(kept({ grpc_proxy: 'http://p:1', no_grpc_proxy: 'x' }).no_grpc_proxy).toBe(`x,${LOCAL}`);
});

test('a proxy in upper case holds for gRPC, which reads lower case only', () => {
  expect(kept({ HTTPS_PROXY: 'http://p:1' }).https_proxy).toBe('http://p:1');
  expect(kept({ HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:1' }).https_proxy).toBe('http://q:1');
});

test('an environment without a proxy stays as it is', () => {
  expect(kept({ PATH: '/bin', no_proxy: 'x', http_proxy: '' })).toEqual({
    PATH: '/bin',
    no_proxy: 'x',
    http_proxy: '',
  });
});
