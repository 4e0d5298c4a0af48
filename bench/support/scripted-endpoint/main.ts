import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Behaviour, Script, ScriptedRequest } from './behaviour.ts';
import { startScriptedEndpoint, type ScriptedEndpoint } from './server.ts';

export const USAGE = `usage: scripted-endpoint.js [--port N] [--mode MODE] \
[--text T | --text-file F | --script F.mjs] [--log F]
  --mode       answer (default), refusal, empty, long, garbage, status, silent, stall, trickle, flood, reset, cut, noise
  --text       the answer; {{n}} is the number of the request
  --script     a module whose default export is a function of the request and returns a behaviour
  --status     for --mode status (default 500); --retry-after S adds the header
  --delay-ms   before each answer
  --log        one JSON line per request, appended before it is answered; the numbers go on over restarts`;

/** One line of the log. */
export interface LoggedRequest {
  n: number;
  at: string;
  model: string;
  /** Hash of the request's body, which is the same for a repeated request. */
  sha256: string;
}

/** Starts an endpoint by its command line. Throws on an unknown option. */
export async function runScriptedEndpoint(args: string[]): Promise<ScriptedEndpoint> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      port: text,
      mode: text,
      text,
      'text-file': text,
      script: text,
      status: text,
      'retry-after': text,
      'delay-ms': text,
      log: text,
    },
  });
  const log = values.log;
  return await startScriptedEndpoint({
    script: values.script === undefined ? byMode(values) : await load(values.script),
    port: Number(values.port ?? 0),
    firstN: log === undefined ? 1 : readRequestLog(log).length + 1,
    ...(log !== undefined && { onRequest: (request) => appendFileSync(log, `${JSON.stringify(toLine(request))}\n`) }),
  });
}

/** Reads the requests in a log, which several endpoints may have written one after the other. */
export function readRequestLog(path: string): LoggedRequest[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LoggedRequest);
}

function toLine({ n, at, body, text }: ScriptedRequest): LoggedRequest {
  return { n, at, model: body.model, sha256: createHash('sha256').update(text).digest('hex') };
}

async function load(path: string): Promise<Script> {
  const module = (await import(pathToFileURL(resolve(path)).href)) as { default?: Script };
  if (module.default === undefined) throw new Error(`expected a default export in ${path}, it has none`);
  return module.default;
}

function byMode(values: Partial<Record<string, string>>): Script {
  const delayMs = Number(values['delay-ms'] ?? 0);
  const behaviour = (plain: Behaviour): Script => ({ ...plain, delayMs });
  const mode = values['mode'] ?? 'answer';
  switch (mode) {
    case 'answer': {
      const file = values['text-file'];
      const text = file === undefined ? (values['text'] ?? 'hello') : readFileSync(file, 'utf8');
      return ({ n }) => ({ kind: 'answer', text: text.replaceAll('{{n}}', String(n)), delayMs });
    }
    case 'refusal':
      return behaviour({ kind: 'answer', text: null, refusal: values['text'] ?? 'I cannot help with that.' });
    case 'empty':
      return behaviour({ kind: 'answer', text: '' });
    case 'long':
      return behaviour({ kind: 'answer', text: 'x'.repeat(400 * 1024) });
    case 'garbage':
      return behaviour({ kind: 'status', status: 200, body: '<html>not a completion</html>' });
    case 'status': {
      const wait = values['retry-after'];
      const headers = wait === undefined ? {} : { 'retry-after': wait };
      return behaviour({ kind: 'status', status: Number(values['status'] ?? 500), body: 'scripted', headers });
    }
    case 'trickle':
      return behaviour({ kind: 'trickle', everyMs: 50 });
    case 'silent':
    case 'stall':
    case 'flood':
    case 'reset':
    case 'cut':
    case 'noise':
      return behaviour({ kind: mode });
    default:
      throw new Error(`unknown --mode ${mode}\n${USAGE}`);
  }
}
