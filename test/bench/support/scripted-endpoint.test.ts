import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  readRequestLog,
  runScriptedEndpoint,
  answerWith,
  startScriptedEndpoint,
} from '../../support/scripted-endpoint.ts';

const directory = mkdtempSync(join(tmpdir(), 'scripted-endpoint-'));
const entry = join(directory, 'scripted-endpoint.js');
const children: ChildProcess[] = [];

/** Compiles the stand-alone entry file by file, which is enough since it imports only modules of Node. */
beforeAll(() => {
  const source = join(import.meta.dirname, '../../../bench/support');
  const parts = readdirSync(join(source, 'scripted-endpoint')).map((name) => `scripted-endpoint/${name}`);
  const files = ['scripted-endpoint.ts', ...parts];
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    rewriteRelativeImportExtensions: true,
  };
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  for (const file of files) {
    const target = join(directory, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(join(source, file), 'utf8');
    writeFileSync(target, ts.transpileModule(text, { compilerOptions }).outputText);
  }
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Starts the entry as a process of its own and returns the line that it prints. */
async function start(...args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, line };
}

async function post(url: string, content = 'hi'): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body });
  return { status: response.status, text: await response.text() };
}

const contentOf = (text: string) =>
  (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

test('a process of its own prints its address, answers, and continues its count after a SIGKILL', async () => {
  const log = join(directory, 'requests.jsonl');
  const first = await start('--text', 'answer {{n}}', '--log', log);
  const url = first.line.replace('listening ', '');
  expect(contentOf((await post(url)).text)).toBe('answer 1');
  expect(contentOf((await post(url)).text)).toBe('answer 2');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const second = await start('--port', new URL(url).port, '--text', 'answer {{n}}', '--log', log);
  expect(second.line).toBe(first.line);
  expect(contentOf((await post(url, 'something else')).text)).toBe('answer 3');
  const lines = readRequestLog(log);
  expect(lines.map(({ n }) => n)).toEqual([1, 2, 3]);
  expect(lines[0]?.sha256).toBe(lines[1]?.sha256);
  expect(lines[2]?.sha256).not.toBe(lines[0]?.sha256);
});

test('a request is in the log before it is answered', async () => {
  const log = join(directory, 'silent.jsonl');
  const { line } = await start('--mode', 'silent', '--log', log);
  const controller = new AbortController();
  const body = JSON.stringify({ model: 'm', messages: [] });
  const url = `${line.replace('listening ', '')}/chat/completions`;
  const call = fetch(url, { method: 'POST', body, signal: controller.signal });
  await expect.poll(() => readRequestLog(log).length).toBe(1);
  controller.abort();
  await expect(call).rejects.toThrow();
});

test('a module can be the script', async () => {
  const script = join(directory, 'script.mjs');
  writeFileSync(script, `export default ({ body }) => ({ kind: 'answer', text: body.messages[0].content + '!' });`);
  const endpoint = await runScriptedEndpoint(['--script', script]);
  expect(contentOf((await post(endpoint.url, 'hello')).text)).toBe('hello!');
  await endpoint.close();
});

test('a mode gives its status, body and header', async () => {
  const endpoint = await runScriptedEndpoint(['--mode', 'status', '--status', '429', '--retry-after', '3']);
  expect((await post(endpoint.url)).status).toBe(429);
  await endpoint.close();
});

test('an unknown mode or option is refused with the usage', async () => {
  await expect(runScriptedEndpoint(['--mode', 'sleepy'])).rejects.toThrow(/unknown --mode sleepy[^]*usage:/);
  await expect(runScriptedEndpoint(['--speed', '3'])).rejects.toThrow("Unknown option '--speed'");
});

test('a list of answers plays in order, the last one repeats, and a new script starts again', async () => {
  const endpoint = await startScriptedEndpoint({ script: [answerWith('one'), answerWith('two')] });
  const next = async () => contentOf((await post(endpoint.url)).text);
  expect([await next(), await next(), await next()]).toEqual(['one', 'two', 'two']);
  endpoint.setScript([answerWith('three'), answerWith('four')]);
  expect([await next(), await next()]).toEqual(['three', 'four']);
  expect(endpoint.requests.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
  await endpoint.close();
});

test('down refuses new connections and breaks open ones; up has the same address', async () => {
  const endpoint = await startScriptedEndpoint({ script: { kind: 'silent' } });
  const hanging = post(endpoint.url);
  await endpoint.received(1);
  await Promise.all([expect(hanging).rejects.toThrow('fetch failed'), endpoint.down()]);
  await expect(post(endpoint.url)).rejects.toThrow('fetch failed');
  endpoint.setScript(answerWith('back'));
  await endpoint.up();
  expect(contentOf((await post(endpoint.url)).text)).toBe('back');
  await endpoint.close();
});

test('a script that throws fails only its request', async () => {
  const endpoint = await startScriptedEndpoint({ script: () => Promise.reject(new Error('no idea')) });
  expect(await post(endpoint.url)).toEqual({ status: 500, text: 'the script failed: Error: no idea' });
  await endpoint.close();
});
