// A policy server that speaks the trainer's contract without torch, as a process of its own. Its policy is a
// distribution over a dozen answers, and it really learns.
//   node server.mjs [--hold FILE] [--starts FILE] serve --folder F --base NAME --out DIR [--idle S] [trainer's options]
// hold: a step waits before it publishes while FILE exists, and makes FILE.here. starts: each start appends a line.
import { appendFileSync, chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createModel } from './model.mjs';
import { answer, trouble } from './routes.mjs';
import { createSteps } from './steps.mjs';

const string = { type: 'string' };
const { values: flags } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(
    ['hold', 'starts', 'folder', 'base', 'out', 'idle', 'device', 'dtype', 'threads'].map((name) => [name, string]),
  ),
});

function fail(message) {
  console.log(JSON.stringify({ failed: { message } }));
  process.exit(1);
}

if (flags.starts) appendFileSync(flags.starts, `${process.pid}\n`);
if (flags.base.startsWith('broken')) fail(`expected a model, got ${flags.base}`);
const folder = resolve(flags.folder);
mkdirSync(folder, { recursive: true, mode: 0o700 });
if ((statSync(folder).mode & 0o077) !== 0) fail(`expected a folder that only you enter (mode 700), found ${folder}`);

/** Takes the folder, which a living server has to itself; the lock appears with its content. */
function takeFolder() {
  const lock = join(folder, 'policy.lock');
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, `${process.pid}\n`);
  try {
    while (!tryLink(mine, lock)) {
      const owner = Number(readFileSync(lock, 'utf8'));
      if (isServer(owner)) {
        rmSync(mine, { force: true });
        fail(`expected no server in ${folder}, found process ${owner}: end it or choose another folder`);
      }
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function tryLink(file, link) {
  try {
    linkSync(file, link);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

function isServer(pid) {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
  } catch {
    return false;
  }
}

takeFolder();
const socket = join(folder, 'policy.sock');
rmSync(socket, { force: true });
const model = createModel(flags.base, folder);
const service = { model, steps: createSteps(model, { out: resolve(flags.out), hold: flags.hold }) };
let answering = 0;
let askedAt = Date.now();

const server = createServer(async (request, response) => {
  answering += 1;
  let status = 200;
  let value;
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    value = await answer(service, `${request.method} ${request.url}`, Buffer.concat(chunks).toString());
  } catch (error) {
    [status, value] = trouble(request.url, error);
  }
  const data = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(data) });
  response.end(data);
  answering -= 1;
  askedAt = Date.now();
});

/** Ends the server once the steps at work are finished and answered. */
function end() {
  server.close(() => {
    rmSync(socket, { force: true });
    rmSync(join(folder, 'policy.lock'), { force: true });
    console.log(JSON.stringify({ ended: socket }));
    process.exit(0);
  });
  server.closeIdleConnections();
}

server.listen(socket, () => {
  chmodSync(socket, 0o700);
  console.log(`ready ${socket}`);
});
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, end);
if (flags.idle !== undefined) {
  const idle = setInterval(() => {
    if (answering > 0 || Date.now() - askedAt < Number(flags.idle) * 1000) return;
    clearInterval(idle);
    end();
  }, 50);
}
