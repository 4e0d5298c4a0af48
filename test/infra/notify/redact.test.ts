import { expect, test } from 'vitest';
import { redact } from '../../../infra/notify/redact.ts';

const URL_OF_SINK = 'https://me:p%40ss%2Fword@hooks.example.com/services/abcdefgh%3D%3Dxyz?key=ijklmnop%2Fqr';

test.each([
  ['the whole URL', URL_OF_SINK],
  ['its path', '/services/abcdefgh%3D%3Dxyz'],
  ['a token', 'abcdefgh%3D%3Dxyz'],
  ['a token without its encoding', 'abcdefgh==xyz'],
  ['the value of a parameter', 'ijklmnop/qr'],
  ['the password without its encoding', 'p@ss/word'],
])('%s of a secret URL is not shown', (_, part) => {
  expect(redact(`refused ${part} `, [URL_OF_SINK])).toBe('refused [secret]');
});

test('a malformed encoding is no error, and common words of a path stay', () => {
  expect(redact('services of abcdefgh%zz', ['https://hooks.example.com/services/abcdefgh%zz'])).toBe(
    'services of [secret]',
  );
});
