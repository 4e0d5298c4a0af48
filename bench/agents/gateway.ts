/**
 * Measures what the model gateway adds to a call: CPU a request of its process and of the relay, and the time to the
 * first byte of an answer beside that of the direct call, in turns. The ledger is in memory: rows come on top.
 *   npx tsx bench/agents/gateway.ts [requests=2000]
 * Half of the requests are streams. Each has 8 kB. Endpoint, gateway and relay are processes of their own. Run it on a
 * quiet machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { request, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeTree } from '../../infra/remove-tree.ts';
import { cpuSeconds } from '../support/cpu-seconds.ts';
import { quantile } from '../support/quantile.ts';
import { printTable } from '../support/table.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const REQUEST_BYTES = 8000;
const WARM_UP = 200;

interface Program {
  child: ChildProcess;
  /** First line that it printed. */
  line: string;
}

async function start(...args: string[]): Promise<Program> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, line: line.trim() };
}

/** Milliseconds to the first byte of an answer, which is then read to its end. */
async function firstByteMs(way: RequestOptions, streams: boolean): Promise<number> {
  const content = 'x'.repeat(REQUEST_BYTES);
  const body = JSON.stringify({
    model: 'm',
    messages: [{ role: 'user', content }],
    ...(streams && { stream: true, stream_options: { include_usage: true } }),
  });
  const began = performance.now();
  return await new Promise<number>((resolve, reject) => {
    const outgoing = request({ ...way, path: '/v1/chat/completions', method: 'POST', agent: false }, (answer) => {
      answer.once('data', () => {
        const ms = performance.now() - began;
        answer.on('end', () => resolve(ms));
      });
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function main(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-bench-gateway-'));
  const socket = join(folder, 'llm.sock');
  const programs: Program[] = [];
  try {
    const endpoint = await start(path('../../test/support/agents/scripted-endpoint.mjs'), '0');
    programs.push(endpoint);
    const url = endpoint.line.split(' ').at(-1)!;
    const gateway = await start('--import', 'tsx', path('./serve-gateway.ts'), socket, url);
    programs.push(gateway);
    const relay = await start(path('../../infra/gateway/relay.mjs'), '0', socket);
    programs.push(relay);
    const portOf = (line: string): RequestOptions => ({ host: '127.0.0.1', port: Number(line.split(':').at(-1)) });
    const ways: [string, RequestOptions][] = [
      ['direct', portOf(endpoint.line)],
      ['gateway', { socketPath: socket }],
      ['relay and gateway', portOf(relay.line)],
    ];
    for (let i = 0; i < WARM_UP; i += 1) for (const [, way] of ways) await firstByteMs(way, i % 2 === 0);
    const times = new Map<string, number[]>(ways.map(([name]) => [name, []]));
    const before = [gateway, relay].map(({ child }) => cpuSeconds(child.pid!));
    for (let i = 0; i < count; i += 1)
      for (const [name, way] of ways) times.get(name)!.push(await firstByteMs(way, i % 2 === 0));
    const used = [gateway, relay].map(({ child }, at) => cpuSeconds(child.pid!) - before[at]!);
    printTable(
      `Time to the first byte of ${count} calls each, in turns (ms)`,
      ['way', 'p50', 'p90', 'p99'],
      ways.map(([name]) => [name, ...[0.5, 0.9, 0.99].map((p) => quantile(times.get(name)!, p))]),
    );
    printTable(
      'CPU a request (ms)',
      ['process', 'CPU'],
      [
        // Two ways of three lead through the gateway.
        ['gateway', (used[0]! * 1000) / (2 * count)],
        ['relay', (used[1]! * 1000) / count],
      ],
    );
  } finally {
    for (const { child } of programs) child.kill('SIGKILL');
    await removeTree(folder);
  }
}

await main(Number(process.argv[2] ?? 2000));
