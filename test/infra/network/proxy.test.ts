import { describe, expect, test } from 'vitest';
import { isLocalHost, proxyFor } from '../../../infra/network/proxy.ts';

const PROXY = 'http://user:hunter2@proxy.test:3128';
const shown = (url: string, env: Record<string, string>): string | null => proxyFor(new URL(url), env)?.shown ?? null;

describe('the proxy of an address', () => {
  test.each<[string, Record<string, string>, string, string]>([
    ['https_proxy', { https_proxy: PROXY }, 'https://models.test/v1', 'http://proxy.test:3128'],
    ['HTTPS_PROXY', { HTTPS_PROXY: PROXY }, 'https://models.test/v1', 'http://proxy.test:3128'],
    ['http_proxy', { http_proxy: PROXY }, 'http://models.test/v1', 'http://proxy.test:3128'],
    ['ALL_PROXY', { ALL_PROXY: PROXY }, 'http://models.test/v1', 'http://proxy.test:3128'],
    ['https_proxy', { https_proxy: 'proxy.test:8080' }, 'https://models.test', 'http://proxy.test:8080'],
    ['https_proxy', { https_proxy: 'https://proxy.test' }, 'https://models.test', 'https://proxy.test'],
    [
      'https_proxy',
      { https_proxy: PROXY, HTTPS_PROXY: 'http://other.test', no_proxy: '' },
      'https://models.test',
      'http://proxy.test:3128',
    ],
  ])('comes from %s', (variable, env, url, expected) => {
    expect(proxyFor(new URL(url), env)).toMatchObject({ variable, shown: expected });
  });

  test('is none without a variable for its scheme', () => {
    expect(shown('http://models.test', { https_proxy: PROXY })).toBeNull();
    expect(shown('https://models.test', { http_proxy: PROXY, https_proxy: ' ' })).toBeNull();
  });

  test.each([
    ['https://models.test', '*'],
    ['https://models.test', 'other.test, models.test'],
    ['https://api.models.test', 'models.test'],
    ['https://api.models.test', '.models.test'],
    ['https://api.models.test', '*.models.test'],
    ['https://API.models.test.', 'Models.Test'],
    ['https://models.test', 'models.test:443'],
    ['https://models.test:8443', 'x models.test:8443'],
    ['https://10.1.2.3', '10.0.0.0/8'],
    ['https://10.1.2.3', '10.1.2.3'],
    ['https://10.1.2.3:8443', '10.1.2.3:8443'],
    ['https://[fd00::1]', 'fd00::/8'],
    ['https://[fd00::1]', '[fd00:0::1]:443'],
    ['https://[fd00::1]', 'fd00::1'],
  ])('is none for %s with no_proxy=%s', (url, entries) => {
    expect(shown(url, { https_proxy: PROXY, no_proxy: entries })).toBeNull();
    expect(shown(url, { https_proxy: PROXY, NO_PROXY: entries })).toBeNull();
  });

  test.each([
    ['https://xmodels.test', 'models.test'],
    ['https://models.test', 'api.models.test'],
    ['https://models.test', 'models.test:8443'],
    ['https://11.1.2.3', '10.0.0.0/8'],
    ['https://10.1.2.3', '10.0.0.0/33, 1.2.3'],
    ['https://models.test', '10.0.0.0/8'],
  ])('is used for %s with no_proxy=%s', (url, entries) => {
    expect(shown(url, { https_proxy: PROXY, no_proxy: entries })).toBe('http://proxy.test:3128');
  });

  test.each([
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '0.0.0.0',
  ])('is none for %s, an address of this machine', (host) => {
    expect(isLocalHost(host)).toBe(true);
    expect(shown(`https://${host}:8000/v1`, { https_proxy: PROXY, all_proxy: PROXY })).toBeNull();
  });

  test.each(['socks5://me:hunter2@proxy.test:1080', 'http://me:hunter2@%%', 'ftp://me:hunter2@proxy.test'])(
    'is refused without being shown: %s',
    (value) => {
      const find = () => proxyFor(new URL('https://models.test'), { https_proxy: value });
      expect(find).toThrow(/^expected https_proxy to be the URL of an HTTP proxy/);
      expect(find).not.toThrow(/hunter2/);
    },
  );
});
