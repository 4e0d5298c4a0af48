import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readEndpoints, targetUrl } from '../../../infra/gateway/endpoints.ts';
import { inOrder } from '../../../infra/gateway/in-order.ts';
import { createKeyFilter } from '../../../infra/gateway/key-filter.ts';
import { readBodyInto } from '../../../infra/gateway/read-body.ts';
import type { CallLedger } from '../../../infra/gateway.ts';

const NONE = { baseUrl: null, apiKey: null };
const KEY = 'sk-12345678-sk-123';

test.each([1, 2, 3, 5, 1000])('a key is replaced in pieces of %i bytes, and nothing else is changed', (size) => {
  const text = `sk-1 ${KEY} sk-12345678-sk-12345678 ${KEY}${KEY} größe sk-12345678-sk-12`;
  const bytes = Buffer.from(text);
  const filter = createKeyFilter(KEY);
  const passed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) passed.push(filter.feed(bytes.subarray(at, at + size)));
  expect(Buffer.concat([...passed, filter.end()]).toString()).toBe(text.replaceAll(KEY, '*'.repeat(KEY.length)));
});

test('bytes that cannot begin a key pass at once', () => {
  const filter = createKeyFilter(KEY);
  expect(filter.feed(Buffer.from('data: a\n\n')).toString()).toBe('data: a\n\n');
  expect(filter.feed(Buffer.from('as')).toString()).toBe('a');
  expect(filter.feed(Buffer.from('t')).toString()).toBe('st');
});

test('a short key is part of any text', () => {
  expect(createKeyFilter('a').feed(Buffer.from('banana')).toString()).toBe('banana');
});

test('a protocol has an endpoint if its URL or its key is set', () => {
  expect(readEndpoints({ openai: NONE, anthropic: NONE, gemini: NONE })).toEqual({
    chat: null,
    responses: null,
    messages: null,
    gemini: null,
  });
  const keys = { baseUrl: null, apiKey: ' sk-1 ' };
  const endpoints = readEndpoints({ openai: keys, anthropic: keys, gemini: keys });
  expect(Object.values(endpoints).map((each) => [each?.baseUrl, each?.key])).toEqual([
    ['https://api.openai.com/v1', 'sk-1'],
    ['https://api.openai.com/v1', 'sk-1'],
    ['https://api.anthropic.com', 'sk-1'],
    ['https://generativelanguage.googleapis.com', 'sk-1'],
  ]);
  const bad = { baseUrl: null, apiKey: 'two words' };
  expect(() => readEndpoints({ openai: NONE, anthropic: bad, gemini: NONE })).toThrow(
    'expected ANTHROPIC_API_KEY to be printable ASCII without spaces, got 9 characters',
  );
});

test.each([
  ['http://h:1', 'http://h:1/v1/messages'],
  ['http://h:1/', 'http://h:1/v1/messages'],
  ['http://h:1/v1', 'http://h:1/v1/messages'],
  ['http://h:1/v1/messages/', 'http://h:1/v1/messages'],
  ['http://h:1/anthropic', 'http://h:1/anthropic/v1/messages'],
  ['http://h:1/x?version=3', 'http://h:1/x/v1/messages?beta=true&version=3'],
])('the base URL %s leads to %s', (baseUrl, target) => {
  const { messages } = readEndpoints({ openai: NONE, anthropic: { baseUrl, apiKey: null }, gemini: NONE });
  const query = target.includes('?') ? 'beta=true&key=mine&version=1' : 'key=mine';
  expect(targetUrl(messages!, '/v1/messages', { query, passed: ['beta'] }).href).toBe(target);
});

test('the bodies of one caller share a room', async () => {
  const room = { held: 0, mostHeld: 10, most: 8 };
  const send = (text: string) => {
    const request = Object.assign(Readable.from([Buffer.from(text)]), { headers: {} });
    const response = Object.assign(new EventEmitter(), { destroyed: false });
    return { response, read: readBodyInto(room, { request, response } as never) };
  };
  expect(await send('123456789').read).toBe('large');
  room.held = 0;
  const first = send('123456');
  expect((await first.read).toString()).toBe('123456');
  const second = send('12345');
  expect(await second.read).toBe('full');
  second.response.emit('close');
  first.response.emit('close');
  expect(room.held).toBe(0);
  expect((await send('12345678').read).toString()).toBe('12345678');
});

test('a call begins after the ends of earlier calls, also after one that fails', async () => {
  const order: string[] = [];
  const later =
    (what: string, fails = false) =>
    async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(what);
      if (fails) throw new Error(what);
    };
  const ledger: CallLedger = {
    begin: () => {
      order.push('begin');
      return Promise.resolve({ turn: 1 });
    },
    end: later('end', true),
    fail: later('fail'),
  };
  const { begin, end, fail } = inOrder(ledger);
  const failure = expect(end(0, {} as never)).rejects.toThrow('end');
  void fail(0, '');
  await begin({} as never);
  expect(order).toEqual(['end', 'fail', 'begin']);
  await failure;
});
