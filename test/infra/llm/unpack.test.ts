import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ask, fail, startEndpoint } from './support.ts';

const ANSWER = Buffer.from(JSON.stringify({ choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] }));

async function packed(body: Buffer, encoding: string | null, status = 200): Promise<string> {
  const headers: Record<string, string> = encoding === null ? {} : { 'content-encoding': encoding };
  return (await startEndpoint({ kind: 'status', status, body, headers })).url;
}

describe('a compressed answer', () => {
  test.each<[string, string | null, Buffer]>([
    ['gzip', 'gzip', gzipSync(ANSWER)],
    ['gzip by its older name', 'x-gzip', gzipSync(ANSWER)],
    ['deflate', 'deflate', deflateSync(ANSWER)],
    ['deflate without a header of its own', 'deflate', deflateRawSync(ANSWER)],
    ['br', 'BR', brotliCompressSync(ANSWER)],
    ['one encoding after the other', 'gzip, br', brotliCompressSync(gzipSync(ANSWER))],
    ['gzip that no header names', null, gzipSync(ANSWER)],
    ['nothing, despite the header', 'gzip', ANSWER],
    ['identity', 'identity', ANSWER],
  ])('is unpacked: %s', async (_name, encoding, body) => {
    expect((await ask(await packed(body, encoding))).text).toBe('a');
  });

  test('is unpacked if it is an error, too', async () => {
    const body = gzipSync(JSON.stringify({ error: { message: 'slow down' } }));
    expect(await fail(await packed(body, 'gzip', 429))).toMatchObject({ kind: 'down', status: 429 });
    expect((await fail(await packed(body, 'gzip', 429))).message).toMatch(/slow down$/);
    expect((await fail(await packed(Buffer.alloc(0), 'gzip', 503))).status).toBe(503);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('in %s that unpacks to more than its bound is refused', async (encoding, compress) => {
    const error = await fail(await packed(compress(Buffer.alloc(8 * 2 ** 20, 32)), encoding));
    expect(error.message).toContain('expected at most 4194304 bytes of answer, got more');
  });

  test.each<[string, string, Buffer, RegExp]>([
    ['was cut', 'gzip', gzipSync(ANSWER).subarray(0, -12), /cannot unpack an answer in gzip/],
    ['is in an unknown encoding', 'zstd', ANSWER, /expected an answer in gzip, deflate, br or without .* got zstd/],
  ])('that %s is no completion', async (_name, encoding, body, words) => {
    const error = await fail(await packed(body, encoding));
    expect(error.kind).toBe('malformed');
    expect(error.message).toMatch(words);
  });

  test('is asked for in the encodings that are unpacked', async () => {
    const endpoint = await startEndpoint({ kind: 'status', status: 200, body: ANSWER });
    await ask(endpoint.url);
    expect(endpoint.requests[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });
});
